# One command for each thing that a person or CI does. Every target sets up what it needs: its own .venv, Debian packages
# only for what pip cannot bring and only when missing.
PYTHON ?= python3
ARGS ?=
V = .venv/bin
NEED = sh .ci/need.sh
BUILD = build/native
CXX_FILES = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.h' | grep -v -e '^firmware/core/picture/fonts/.*\.cpp$$')
SH_FILES = .ci/run .ci/need.sh .ci/venv.sh firmware/xtensa/run.sh $(addprefix collector/debian/,generator postinst prerm postrm)

.DELETE_ON_ERROR:
.PHONY: demo test check build lint format sanitize bench pyz clean venv

demo: .venv/base.stamp build
	$(V)/inktop demo $(ARGS)

# Most of a run is waiting for a clock or a process: six at a time on two cores. Selection: make test PYTEST="-k framer".
# Byte code is kept, in build/, whatever the shell says: six workers and hundreds of child processes read the same files.
PYTEST ?=
KEPT_BYTE_CODE = env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(CURDIR)/build/pycache
test: venv build pyz
	@$(NEED) chromium test -x /usr/bin/chromium
	@$(NEED) zbar-tools zbarimg --version
	@$(NEED) prometheus prometheus --version
	@$(NEED) victoria-metrics victoria-metrics -version
	$(KEPT_BYTE_CODE) $(V)/python -m pytest -n 6 --dist worksteal -m "not soak and not package and not home_assistant" $(PYTEST)

# Every gate beyond the tests; none of them is skipped silently.
check: lint generated-check sanitize xtensa fonts-check thorough package deb

# What takes minutes: the property tests with many more examples, the simulated year, the collector with eight boards,
# hundreds of made photos.
thorough: venv build-tests pyz
	$(V)/python -m pytest -n 3 --dist worksteal --hypothesis-profile=thorough \
		protocol/tests/test_properties.py tools/tests/test_addresses.py tools/tests/lines collector/tests/test_server_states.py
	$(V)/python -m pytest -n 3 -m soak collector/tests
	$(V)/python -m pytest -n 3 -m soak tools/tests/photo
.PHONY: thorough

# dist/: the source distribution, and from it the wheel for this kind of machine; then both in an empty environment.
package: .venv/test.stamp .venv/package.stamp
	$(V)/python -m build -q -o dist .
	$(V)/python -m pytest -m package tools/tests/test_package.py
.PHONY: package
.venv/package.stamp: .venv/base.stamp
	sh .ci/venv.sh $(PYTHON) package
	@touch $@

# docs/metrics.md's configuration in a real Home Assistant, which has 400 MB: in an environment of its own, not part of CI.
home-assistant: .venv/test.stamp build/home-assistant.stamp
	$(V)/python -m pytest -m home_assistant tools/tests/test_home_assistant.py
.PHONY: home-assistant
build/home-assistant.stamp:
	$(PYTHON) -m venv build/home-assistant
	build/home-assistant/bin/python -m pip install -q homeassistant jsonpath xmltodict
	@touch $@

# dist/: the collector as a package for Debian, installed, removed and purged in a folder.
deb: .venv/test.stamp
	@$(NEED) dpkg dpkg-deb --version
	@$(NEED) systemd systemd-analyze --version
	$(V)/python collector/debian/build_deb.py dist
	$(V)/python -m pytest -m package collector/tests/test_deb.py
.PHONY: deb

venv: .venv/base.stamp .venv/test.stamp .venv/lint.stamp .venv/photo.stamp

.venv/base.stamp: pyproject.toml .ci/venv.sh $(wildcard .ci/locked/*.txt)
	sh .ci/venv.sh $(PYTHON)
	@touch $@
.venv/test.stamp: .venv/base.stamp
	sh .ci/venv.sh $(PYTHON) test
	@touch $@
.venv/photo.stamp: .venv/base.stamp
	sh .ci/venv.sh $(PYTHON) photo
	@touch $@
.venv/lint.stamp: .venv/photo.stamp
	sh .ci/venv.sh $(PYTHON) lint
	@touch $@

# cmake: the system's, else the one from pip.
CMAKE = $(shell command -v cmake || echo $(V)/cmake)
CMAKE_READY = if [ ! -x "$(CMAKE)" ]; then $(V)/python -m pip install -q cmake; fi
DOCTEST = test -e /usr/include/doctest/doctest.h -o -e /usr/local/include/doctest/doctest.h
JOBS = $(shell nproc 2>/dev/null || echo 2)

build: .venv/base.stamp
	@$(CMAKE_READY)
	@$(CMAKE) -S . -B $(BUILD) -DINKTOP_TESTS=OFF >/dev/null
	@$(CMAKE) --build $(BUILD) -j $(JOBS) -- --no-print-directory -s

build-tests: .venv/base.stamp
	@$(NEED) doctest-dev sh -c '$(DOCTEST)'
	@$(CMAKE_READY)
	@$(CMAKE) -S . -B $(BUILD) -DINKTOP_TESTS=ON >/dev/null
	@$(CMAKE) --build $(BUILD) -j $(JOBS) -- --no-print-directory -s
.PHONY: build-tests
test: build-tests

# The pictures as they are now become the golden ones: look at them first.
golden: venv build-tests
	$(V)/python firmware/test/test_golden.py
	$(V)/inktop selftest --accept
.PHONY: golden

# Each golden picture at 100 % beside itself as seen from two metres, in build/look. Some: make look ARGS="alarms no-gpu".
look: .venv/test.stamp
	$(V)/python firmware/test/look.py $(ARGS)
.PHONY: look

# Ratios, each side measured in the same run, in one table (build/bench.md, build/bench.json); a target that is missed fails.
# docs/performance.md explains the numbers.
bench: venv build pyz
	@$(NEED) valgrind valgrind --version
	@$(CMAKE) --build $(BUILD) --target inktop_bench -j $(JOBS) -- --no-print-directory -s
	@$(NEED) prometheus prometheus --version
	rm -f $(BUILD)/../bench/*.json
	-$(V)/python collector/bench/bench.py
	-$(V)/python collector/bench/latency.py
	-$(V)/python collector/bench/relay.py
	-$(V)/python collector/bench/scale.py
	-$(V)/python firmware/bench/bench.py $(BUILD)/inktop_bench
	-sh firmware/xtensa/run.sh
	$(V)/python .ci/bench_table.py

# OpenCV and NumPy, for inktop diagnose.
photo-tools: .venv/photo.stamp
.PHONY: photo-tools

# Thousands of made photos (ARGS="--seeds 100"): the tables of tools/README.md.
diagnose-bench: venv build
	$(V)/python tools/tests/photo/bench.py $(ARGS)
.PHONY: diagnose-bench

# Ten minutes of the collector with eight boards, two of them dead slow; and a simulated year in steps of a minute.
soak: venv
	$(V)/python collector/bench/soak.py $(ARGS)

soak-year: venv
	INKTOP_SOAK_STEP_S=60 $(V)/python -m pytest collector/tests/test_soak.py -k year
.PHONY: soak soak-year

pyz:
	$(PYTHON) collector/build_pyz.py dist/inktop-collector.pyz

lint: .venv/lint.stamp
	@$(NEED) shellcheck shellcheck --version
	$(V)/ruff check .
	$(V)/ruff format --check .
	$(V)/mypy
	$(V)/mypy --python-version 3.9 collector/inktop_collector protocol/inktop_protocol
	$(V)/clang-format --dry-run --Werror $(CXX_FILES)
	shellcheck $(SH_FILES)
	$(V)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(V)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/*.yml

format: .venv/lint.stamp
	$(V)/ruff check --fix .
	$(V)/ruff format .
	$(V)/clang-format -i $(CXX_FILES)

# The C++ side of the tests under AddressSanitizer and UndefinedBehaviorSanitizer.
sanitize: .venv/test.stamp
	@$(NEED) doctest-dev sh -c '$(DOCTEST)'
	@$(CMAKE_READY)
	@$(CMAKE) -S . -B build/sanitize -DINKTOP_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
	@$(CMAKE) --build build/sanitize -j $(JOBS) -- --no-print-directory -s
	INKTOP_CPP_FOLDER=build/sanitize $(V)/python -m pytest firmware/test/test_cpp.py firmware/test/test_fuzz_corpus.py

# Looks for inputs that break the core or tell its two decoders apart. ARGS="-max_total_time=60": seconds in all;
# --minimise keeps what was found (firmware/fuzz/fuzz.py says more). The kept inputs are replayed by `make test` and `make check`.
fuzz: venv build
	@$(NEED) clang clang++ --version
	@$(NEED) libclang-rt-14-dev sh -c 'ls "$$(clang++ -print-resource-dir)"/lib/*/libclang_rt.fuzzer*.a'
	@$(CMAKE) -S . -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DINKTOP_FUZZ=ON -DINKTOP_TESTS=OFF \
		-DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
	@$(CMAKE) --build build/fuzz -j $(JOBS) -- --no-print-directory -s
	$(V)/python firmware/fuzz/fuzz.py $(ARGS)
.PHONY: fuzz

# The core on an emulated Xtensa instruction set against the same code here; needs Debian packages, which it installs.
xtensa:
	sh firmware/xtensa/run.sh $(ARGS)
.PHONY: xtensa

# The font tables again from their npm packages: the same bytes.
fonts-check: .venv/fonts.stamp
	@$(NEED) npm npm --version
	$(V)/inktop fonts --check
.PHONY: fonts-check
.venv/fonts.stamp: .venv/base.stamp
	sh .ci/venv.sh $(PYTHON) fonts
	@touch $@

# The structs, dataclasses and tables of the specification that follow from the table of the line.
generate:
	$(PYTHON) protocol/generate.py
generated-check:
	$(PYTHON) protocol/generate.py --check
.PHONY: generate generated-check

# Mutation testing, not part of CI: ARGS names files (.ci/mutants.py says more).
mutants: venv build-tests .venv/mutants.stamp
	$(V)/python .ci/mutants.py $(ARGS)
.PHONY: mutants
.venv/mutants.stamp: .venv/base.stamp
	sh .ci/venv.sh $(PYTHON) mutants
	@touch $@

# Lines that tests run: of the core (95 % at least) and of Python (90 %); a lower figure fails. Six minutes, so not part of CI.
# Left out are the tests that need a browser, and the made photos beyond the first of each fault.
coverage: venv .venv/coverage.stamp build-tests pyz
	@$(CMAKE) -S . -B build/coverage/native -DINKTOP_COVERAGE=ON -DCMAKE_BUILD_TYPE=None >/dev/null
	@$(CMAKE) --build build/coverage/native -j $(JOBS) --target inktop_tests -- --no-print-directory -s
	@find build/coverage/native -name '*.gcda' -delete
	build/coverage/native/inktop_tests --no-intro --no-version >/dev/null
	$(V)/gcovr --root . --object-directory build/coverage/native --filter firmware/core/ --filter protocol/cpp/ --filter selftest/ \
		--exclude selftest/test/ --exclude-throw-branches --fail-under-line 95 --print-summary \
		--txt build/coverage/core.txt --json-summary build/coverage/core.json
	@rm -rf build/coverage/python && mkdir -p build/coverage/python
	$(V)/coverage run -m pytest -n 3 --dist worksteal -m "not soak and not package and not home_assistant" \
		--ignore tools/tests/virtual/test_live_in_a_browser.py --ignore firmware/test/test_cpp.py $(PYTEST)
	@$(V)/coverage combine -q
	$(V)/coverage json -q -o build/coverage/python.json
	$(V)/coverage report --skip-covered
.PHONY: coverage
.venv/coverage.stamp: .venv/test.stamp
	sh .ci/venv.sh $(PYTHON) coverage
	@touch $@

# .ci/locked: the versions, with hashes, that the targets above install. Look at what changes before it is committed.
constraints:
	$(PYTHON) -m venv build/uv
	build/uv/bin/python -m pip install -q uv
	build/uv/bin/python .ci/lock.py
.PHONY: constraints

# PlatformIO and esptool, for flashing.
flash-tools: .venv/base.stamp
	sh .ci/venv.sh $(PYTHON) flash
.PHONY: flash-tools

clean:
	rm -rf build dist
