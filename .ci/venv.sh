#!/bin/sh
# Makes the project's own .venv and installs the named extras into it: venv.sh PYTHON EXTRA...
# The versions are those of .ci/locked, checked by their hashes (`make constraints` renews them). Where they are not to be had,
# as for an older Python, what pyproject.toml allows is installed; INKTOP_LOCKED=only makes that an error.
set -eu
python=$1
shift
if [ ! -x .venv/bin/python ]; then
  if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "inktop needs Python 3.9 or newer; $python is not: name one, as make demo PYTHON=python3.11" >&2
    exit 1
  fi
  if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
    sh .ci/need.sh python3-venv "$python" -c 'import ensurepip, venv'
  fi
  "$python" -m venv .venv
fi
install() {
  .venv/bin/python -m pip install -q -q --disable-pip-version-check "$@"
}
locked() {
  files="-r .ci/locked/tools.txt -r .ci/locked/base.txt"
  for extra in "$@"; do
    files="$files -r .ci/locked/$extra.txt"
  done
  # shellcheck disable=SC2086
  install --require-hashes $files && install --no-deps --no-build-isolation -e .
}
if locked "$@" 2>.venv/locked.log; then
  exit 0
fi
if grep -q "DO NOT MATCH THE HASHES" .venv/locked.log; then
  cat .venv/locked.log >&2
  echo "a package is not what it was when .ci/locked was written: nothing of it is installed" >&2
  exit 1
fi
if [ "${INKTOP_LOCKED:-}" = only ]; then
  cat .venv/locked.log >&2
  echo "the versions of .ci/locked cannot be installed, and INKTOP_LOCKED=only allows no others" >&2
  exit 1
fi
echo "the versions of .ci/locked are not to be had here (.venv/locked.log): taking what pyproject.toml allows" >&2
install --upgrade pip setuptools wheel
extras=$(echo "$*" | tr ' ' ',')
install -e ".${extras:+[$extras]}"
