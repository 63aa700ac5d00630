"""platformio.ini, read by PlatformIO's own parser, offline: an unknown option is accepted silently."""

from __future__ import annotations

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ("v7", "v7_nopmic", "v7_selftest", "v7_nopmic_selftest")


def _platformio(*arguments: str) -> str:
    run = subprocess.run(
        [sys.executable, "-m", "platformio", *arguments, "-d", str(ROOT)],
        capture_output=True,
        text=True,
        # No look-up of newer versions, no telemetry, nothing outside the folder.
        env={**os.environ, "PLATFORMIO_SETTING_CHECK_PLATFORMIO_INTERVAL": "9999", "CI": "true"},
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.fixture(scope="module")
def config() -> Dict[str, Dict[str, Any]]:
    sections = json.loads(_platformio("project", "config", "--json-output"))
    return {name: dict(options) for name, options in sections}


def test_the_linter_has_nothing_to_say() -> None:
    output = _platformio("project", "config", "--lint")
    assert "free from linting errors" in output
    assert "warning" not in output.lower()


def test_there_are_two_boards_and_a_self_test_of_each(config: Dict[str, Dict[str, Any]]) -> None:
    assert [name for name in config if name.startswith("env:")] == [f"env:{name}" for name in ENVIRONMENTS]
    assert config["platformio"]["default_envs"] == ["v7"]


@pytest.mark.parametrize("name", ENVIRONMENTS)
@pytest.mark.parametrize(
    ("option", "value"),
    [
        # B6: the release that brings Arduino core 2.0.14; epdiy 2.0.0 does not build on core 3.
        ("platform", "espressif32@6.5.0"),
        ("lib_deps", ["https://github.com/vroland/epdiy.git#1b089e60a90d861d9a61ce1b3334c3646028013c"]),
        ("framework", ["arduino"]),
        ("board", "esp32-s3-devkitc-1"),
        ("board_build.arduino.memory_type", "qio_opi"),
        ("board_build.flash_mode", "qio"),
        ("board_build.partitions", "default_16MB.csv"),
        ("board_upload.flash_size", "16MB"),
        ("board_upload.maximum_size", "16777216"),
        ("build_unflags", ["-std=gnu++11"]),
        ("extra_scripts", ["pre:firmware/device/secrets_folder.py"]),
        ("monitor_speed", 115200),
        ("monitor_dtr", 0),
        ("monitor_rts", 0),
    ],
)
def test_each_value_that_matters_is_what_it_must_be(
    config: Dict[str, Dict[str, Any]], name: str, option: str, value: object
) -> None:
    assert config[f"env:{name}"][option] == value


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_flags_choose_one_board_and_the_self_test(config: Dict[str, Dict[str, Any]], name: str) -> None:
    flags: List[str] = config[f"env:{name}"]["build_flags"]
    for flag in ("-std=gnu++17", "-DBOARD_HAS_PSRAM", "-Ifirmware/core", "-Iprotocol/cpp", "-I."):
        assert flag in flags
    assert ("-DINKTOP_BOARD_V7" in flags) == (not name.startswith("v7_nopmic"))
    assert ("-DINKTOP_BOARD_V7_NOPMIC" in flags) == name.startswith("v7_nopmic")
    assert ("-DEPD_SELFTEST" in flags) == name.endswith("selftest")
    # A7: the pins of the chip's own USB carry the buttons.
    assert not any("USB_CDC" in flag for flag in flags)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_the_firmware_is_made_of_its_rooms_and_of_no_test(
    config: Dict[str, Dict[str, Any]], name: str
) -> None:
    from platformio import fs  # PlatformIO's own matching

    source = ROOT / "firmware/device"
    matched = fs.match_src_files(
        str(source), " ".join(config[f"env:{name}"]["build_src_filter"]), ["c", "cpp"]
    )
    found = {(source / file).resolve().relative_to(ROOT).as_posix() for file in matched}
    expected = {
        path.relative_to(ROOT).as_posix()
        for folder in ("firmware/device", "firmware/core", "protocol/cpp")
        for path in (ROOT / folder).rglob("*.cpp")
    }
    if name.endswith("selftest"):
        expected |= {path.relative_to(ROOT).as_posix() for path in (ROOT / "selftest").glob("*.cpp")}
    assert found == expected
    assert "firmware/core/app/app.cpp" in found


# --- the folder of the secrets

SCRIPT = ROOT / "firmware/device/secrets_folder.py"


class _Build:
    """What PlatformIO hands the script."""

    def __init__(self) -> None:
        self.paths: List[str] = []

    def Append(self, CPPPATH: List[str]) -> None:  # noqa: N802, N803  SCons' names
        self.paths += CPPPATH


def _include_paths(monkeypatch: pytest.MonkeyPatch, named: str | None, home: Path) -> List[str]:
    build = _Build()
    if named is None:
        monkeypatch.delenv("INKTOP_SECRETS_DIR", raising=False)
    else:
        monkeypatch.setenv("INKTOP_SECRETS_DIR", named)
    monkeypatch.setenv("HOME", str(home))
    runpy.run_path(str(SCRIPT), init_globals={"Import": lambda name: None, "env": build})
    return build.paths


def test_the_build_includes_the_named_folder_also_with_spaces(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = tmp_path / "my secrets"
    assert _include_paths(monkeypatch, str(folder), tmp_path) == [str(folder)]


@pytest.mark.parametrize("named", [None, "", "  "])
def test_unset_or_empty_the_build_includes_the_folder_in_the_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, named: str | None
) -> None:
    assert _include_paths(monkeypatch, named, tmp_path) == [str(tmp_path / ".config/inktop")]


def test_a_tilde_is_the_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert _include_paths(monkeypatch, "~/keys", tmp_path) == [str(tmp_path / "keys")]


def _compile(folder: Path) -> subprocess.CompletedProcess[str]:
    source = folder / "main.cpp"
    source.write_text('#include "secret_defaults.h"\nconst char* ssid = INKTOP_WIFI_SSID;\n')
    command = ["c++", "-std=gnu++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    command += [f"-I{ROOT / 'firmware/device'}", f"-I{folder / 'with secrets'}", str(source)]
    return subprocess.run(command, capture_output=True, text=True)


def test_a_missing_secrets_header_is_one_error_that_names_the_command(tmp_path: Path) -> None:
    run = _compile(tmp_path)
    assert run.returncode != 0
    first = next(line for line in run.stderr.splitlines() if "error" in line)
    assert "inktop secrets init" in first
    assert "INKTOP_SECRETS_DIR" in first


def test_an_empty_secrets_header_compiles(tmp_path: Path) -> None:
    (tmp_path / "with secrets").mkdir()
    (tmp_path / "with secrets/secrets.h").write_text("")
    run = _compile(tmp_path)
    assert run.returncode == 0, run.stderr


def test_a_secrets_header_of_the_command_compiles_and_gives_its_values(tmp_path: Path) -> None:
    from inktop_tools.device.secrets import header_text

    (tmp_path / "with secrets").mkdir()
    values = {"INKTOP_WIFI_SSID": 'my "net" \\ caf\u00e9??/', "INKTOP_WIFI_PASSWORD": "correct horse"}
    values["INKTOP_SERVERS"] = "192.0.2.17"
    (tmp_path / "with secrets/secrets.h").write_text(header_text(values), encoding="utf-8")
    program = tmp_path / "print"
    source = tmp_path / "print.cpp"
    source.write_text(
        '#include <cstdio>\n#include "secret_defaults.h"\n'
        'int main() { std::printf("%s|%s|%s|%s|%s", INKTOP_WIFI_SSID, INKTOP_WIFI_PASSWORD, INKTOP_SERVERS, '
        "INKTOP_STREAM_KEY, INKTOP_OTA_PASSWORD); }\n"
    )
    includes = [f"-I{ROOT / 'firmware/device'}", f"-I{tmp_path / 'with secrets'}"]
    subprocess.run(
        ["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", *includes, str(source), "-o", str(program)],
        check=True,
    )
    printed = subprocess.run([str(program)], capture_output=True, check=True).stdout.decode()
    assert printed == 'my "net" \\ caf\u00e9??/|correct horse|192.0.2.17||'


# --- the chip's rules, by reading the sources


def test_only_the_panel_adapter_knows_the_display_library() -> None:
    allowed = {"panel_epdiy.cpp", "epdiy_display.h", "power_board.h", "power_board.cpp"}
    for path in sorted((ROOT / "firmware").rglob("*")):
        if path.suffix not in (".h", ".cpp") or "test" in path.parts or path.name in allowed:
            continue
        text = path.read_text()
        assert not re.search(r"\bepd_(?!board\b)\w+\(|#include <epdiy|\bMODE_(DU|GC16)", text), path


def test_the_panel_size_stands_in_one_place() -> None:
    """A1: no literal of the size in the core, the protocol or the adapters beside the panel's definition."""
    for folder in ("firmware/core", "firmware/device", "protocol/cpp"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp") or path.name == "es108fc1.h" or "fonts" in path.parts:
                continue
            code = re.sub(r"//[^\n]*", "", path.read_text())
            assert not re.search(r"\b(1920|1080)\b", code), path


def test_no_reading_of_the_log_reaches_the_parser() -> None:
    """C3: only the network task's socket and the self-test's generated lines feed the app."""
    for path in sorted((ROOT / "firmware/device").glob("*.cpp")):
        text = path.read_text()
        if "Serial.read" in text:
            assert "->receive(" not in text.split("Firmware::read_console")[1].split("\n}")[0]


def test_there_is_no_scan_at_boot() -> None:
    """D5: a scan starves the idle task for longer than the watchdog allows."""
    for path in (ROOT / "firmware/device").glob("*.cpp"):
        assert "scanNetworks" not in path.read_text()


def test_nothing_on_the_board_asks_for_the_time_of_day() -> None:
    """The server's line brings it: a board without a way to the internet shows the same."""
    asks = re.compile(
        r"\b(?:configTime|configTzTime|sntp_\w+|getLocalTime|gettimeofday|settimeofday|time\(NULL|time\(nullptr)"
    )
    for folder in ("firmware/device", "firmware/core", "protocol/cpp"):
        for path in (ROOT / folder).rglob("*.[ch]*"):
            assert asks.search(path.read_text()) is None, path


def test_the_memory_table_of_the_readme_is_the_one_in_the_code(tmp_path: Path) -> None:
    source = tmp_path / "table.cpp"
    source.write_text(
        "#include <cstdio>\n"
        '#include "memory_table.h"\n'
        'extern "C" const EpdWaveform epdiy_ED047TC1;\n'
        "int main() {\n"
        "  for (const bool psram : {true, false}) {\n"
        "    for (const auto& row : inktop::kMemoryTable) {\n"
        '      if (row.psram == psram) std::printf("| %s | %s | %u |\\n", row.what, '
        'psram ? "PSRAM" : "internal", unsigned(row.bytes));\n'
        "    }\n"
        '    std::printf("| **together** | **%s** | **%u** |\\n", psram ? "PSRAM" : "internal", '
        "unsigned(inktop::memory_sum(psram)));\n"
        "  }\n"
        "}\n"
        "struct EpdWaveform {};\n"
        'extern "C" const EpdWaveform epdiy_ED047TC1{};\n'
    )
    folders = ("firmware/test/arduino_api", "firmware/device", "firmware/core", "protocol/cpp", ".")
    program = tmp_path / "table"
    includes = [f"-I{ROOT / folder}" for folder in folders]
    subprocess.run(
        ["c++", "-std=gnu++17", "-DINKTOP_BOARD_V7", *includes, str(source), "-o", str(program)], check=True
    )
    table = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    readme = (ROOT / "firmware/README.md").read_text()
    assert table in readme, "the table in firmware/README.md must be:\n" + table


def test_the_notice_names_the_library_in_the_image_its_licence_and_the_commit_that_is_built() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="ascii")
    pinned = re.search(r"epdiy\.git#([0-9a-f]{40})$", (ROOT / "platformio.ini").read_text(), re.MULTILINE)
    assert pinned is not None
    assert pinned[1] in notice
    for words in ("LGPL-3.0", "Relinking", "prebuilt image"):
        assert words in notice
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "epdiy (LGPL-3.0)" in readme
    assert "(NOTICE)" in readme


@pytest.mark.parametrize(("password", "fits"), [("", True), ("1234567", False), ("12345678", True)])
def test_a_password_for_updates_has_at_least_8_characters_or_the_build_says_so(
    tmp_path: Path, password: str, fits: bool
) -> None:
    (tmp_path / "secrets.h").write_text(f'#define INKTOP_OTA_PASSWORD "{password}"\n')
    folders = [tmp_path, *(ROOT / name for name in ("firmware/test/arduino_api", "firmware/device"))]
    folders += [ROOT / name for name in ("firmware/core", "protocol/cpp")]
    command = [
        "c++",
        "-std=c++17",
        "-fsyntax-only",
        "-DINKTOP_BOARD_V7",
        *(f"-I{folder}" for folder in folders),
    ]
    done = subprocess.run(
        [*command, str(ROOT / "firmware/device/default_settings.cpp")], capture_output=True, text=True
    )
    assert (done.returncode == 0) == fits, done.stderr
    assert ("at least 8 characters" in done.stderr) == (not fits)
