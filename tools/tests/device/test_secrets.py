"""The secrets header: what is written, for whom, and what is refused."""

from __future__ import annotations

import io
import os
import subprocess
from pathlib import Path
from typing import List

import pytest
from inktop_tools import cli
from inktop_tools.device import secrets
from inktop_tools.errors import InktopError

ANSWERS = ["home", "correct horse", "192.0.2.17", "0123456789abcdef", "for updates"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "my secrets" / "inktop"
    monkeypatch.setenv("INKTOP_SECRETS_DIR", str(path))
    return path


def answer(monkeypatch: pytest.MonkeyPatch, lines: List[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(line + "\n" for line in lines)))


def values_of(header: Path, tmp_path: Path) -> List[str]:
    """What a C++ compiler reads from the header."""
    source = tmp_path / "values.cpp"
    macros = "".join(
        f"#ifdef {field.macro}\n  std::puts({field.macro});\n#endif\n" for field in secrets.FIELDS
    )
    source.write_text(f'#include <cstdio>\n#include "{header}"\nint main() {{\n{macros}}}\n')
    program = tmp_path / "values"
    # With trigraphs on, as the strictest compiler has them.
    command = ["c++", "-std=c++14", "-trigraphs", "-Wall", "-Werror", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    return subprocess.run([str(program)], capture_output=True, check=True).stdout.decode().splitlines()


def test_init_writes_the_answers_for_its_owner_only(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer(monkeypatch, ANSWERS)
    old = os.umask(0)  # the mode must not depend on it
    try:
        assert cli.main(["secrets", "init"]) == 0
    finally:
        os.umask(old)
    header = folder / "secrets.h"
    assert header.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert values_of(header, tmp_path) == ANSWERS
    said = capsys.readouterr().out
    assert "inktop flash" in said
    for secret in ("correct horse", "0123456789abcdef", "for updates"):
        assert secret not in said


@pytest.mark.parametrize(
    "text", ['say "hi"', "back\\slash", "??/ trigraph", "caf\u00e9123", "100% {x}", "\\n"]
)
def test_any_text_comes_out_of_the_compiler_as_it_went_in(tmp_path: Path, text: str) -> None:
    header = secrets.write_header(tmp_path, secrets.header_text({"INKTOP_WIFI_SSID": text}), replace=False)
    assert values_of(header, tmp_path) == [text]


@pytest.mark.usefixtures("folder")
def test_a_header_that_is_there_is_replaced_only_by_force(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.mkdir(parents=True)
    header = folder / "secrets.h"
    header.write_text("// mine\n")
    answer(monkeypatch, ANSWERS)
    assert cli.main(["secrets", "init"]) == 1
    assert header.read_text() == "// mine\n"
    assert "--force" in capsys.readouterr().err
    assert cli.main(["secrets", "init", "--force"]) == 0
    assert '"home"' in header.read_text()
    assert header.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in folder.iterdir()] == ["secrets.h"]


def test_an_empty_header_is_for_an_image_that_can_be_shared(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["secrets", "init", "--empty"]) == 0
    assert values_of(folder / "secrets.h", tmp_path) == []
    assert "inktop configure wifi" in capsys.readouterr().out


def test_the_key_can_come_from_the_collectors_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("fedcba9876543210\n")
    answer(monkeypatch, ["home", "correct horse", "", ""])  # the key is not asked for
    assert cli.main(["secrets", "init", "--key-file", str(tmp_path / "key")]) == 0
    assert values_of(folder / "secrets.h", tmp_path) == ["home", "correct horse", "fedcba9876543210"]


@pytest.mark.parametrize(
    ("position", "bad", "reason"),
    [
        (0, "x" * 33, "32 bytes"),
        (1, "short", "8 to 63"),
        (1, "z" * 64, "hexadecimal"),
        (2, "a,b,c,d,e", "at most 4"),
        (2, "host:0", "1 to 65535"),
        (2, "host:65536", "1 to 65535"),
        (2, "host:", "is no server"),
        (2, "two words", "is no server"),
        (2, "host,", "is no server"),
        (2, "2001:db8::1", "IPv4"),  # the board's network has no IPv6
        (3, "fifteen letters", "16 to 64"),
        (4, "\u00e9", "printable"),
    ],
)
def test_a_bad_answer_is_refused_with_what_it_may_be_and_nothing_is_written(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    position: int,
    bad: str,
    reason: str,
) -> None:
    answers = list(ANSWERS)
    answers[position] = bad
    answer(monkeypatch, answers)
    assert cli.main(["secrets", "init"]) == 1
    assert reason in capsys.readouterr().err
    assert not (folder / "secrets.h").exists()


def test_a_person_is_asked_again_until_the_answer_fits(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    plain = iter(["x" * 33, "home", "192.0.2.17"])
    hidden = iter(["short", "correct horse", "", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(plain))
    monkeypatch.setattr("getpass.getpass", lambda _: next(hidden))
    assert cli.main(["secrets", "init"]) == 0
    assert '"correct horse"' in (folder / "secrets.h").read_text()
    assert "8 to 63" in capsys.readouterr().err


def test_check_tells_what_is_set_but_no_value(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = secrets.header_text({"INKTOP_WIFI_SSID": "home", "INKTOP_WIFI_PASSWORD": "correct horse"})
    header = secrets.write_header(folder, text + '#define INKTOP_WIFI_SSDI "x"\n', replace=False)
    assert cli.main(["secrets", "check"]) == 0
    said = capsys.readouterr().out.split("\n")
    assert any("INKTOP_WIFI_PASSWORD" in line and line.endswith(" set") for line in said)
    assert any("INKTOP_SERVERS" in line and line.endswith("not set") for line in said)
    assert any("INKTOP_WIFI_SSDI" in line and "misspelt" in line for line in said)
    assert "correct horse" not in "".join(said)
    header.chmod(0o644)
    assert cli.main(["secrets", "check"]) == 1
    assert f"chmod 600 {header}" in capsys.readouterr().err


def test_check_without_a_header_names_init(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["secrets", "check"]) == 1
    assert "inktop secrets init" in capsys.readouterr().err
    assert cli.main(["secrets", "path"]) == 0
    assert capsys.readouterr().out.strip() == str(folder / "secrets.h")


def test_a_folder_that_cannot_be_written_names_the_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").write_text("")
    with pytest.raises(InktopError, match="INKTOP_SECRETS_DIR"):
        secrets.write_header(tmp_path / "a file" / "folder", "", replace=False)
