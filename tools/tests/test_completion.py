"""`inktop completion`: a real bash completes by what it prints; every shell gets something."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from inktop_tools import completion
from inktop_tools.cli import COMMANDS, main
from inktop_tools.errors import InktopError

#: Sets up bash as it is when Tab is pressed after the words, and prints what it would offer.
PRESS_TAB = """
source "$1"; shift
program=$1
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
function=$(complete -p "$program" | sed 's/.*-F \\([^ ]*\\).*/\\1/')
"$function" "$program" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(folder: Path, *words: str) -> List[str]:
    """What bash offers for the last of these words."""
    script = folder / "completion.bash"
    script.write_text(completion.script(words[0], "bash"))
    done = subprocess.run(
        ["bash", "-c", PRESS_TAB, "bash", script, *words], capture_output=True, text=True, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "there", "not_there"),
    [
        (("inktop", "re"), ["record", "render"], "demo"),
        (("inktop", "demo", "--repl"), ["--replay"], "--speed"),
        (("inktop", "completion", "z"), ["zsh"], "bash"),
        (("inktop-collector", "do"), ["doctor"], "serve"),
        (("inktop-collector", "install", "--dry"), ["--dry-run"], "--relay"),
        (("inktop-collector", "serve", "--key-f"), ["--key-file"], "--json"),
    ],
)
def test_bash_completes(words: List[str], there: List[str], not_there: str, tmp_path: Path) -> None:
    found = offered(tmp_path, *words)
    assert set(there) <= set(found)
    assert not_there not in found


def test_a_file_is_completed_where_one_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "mine.lines").touch()
    assert "mine.lines" in offered(tmp_path, "inktop", "demo", "--replay", "mine")


@pytest.mark.parametrize("shell", completion.SHELLS)
@pytest.mark.parametrize("program", completion.PROGRAMS)
def test_every_shell_gets_a_script(shell: str, program: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell, "--for", program]) == 0
    said = capsys.readouterr().out
    for command in COMMANDS if program == "inktop" else ("serve", "relay", "doctor"):
        assert command in said


def test_without_shtab_the_next_step_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    with pytest.raises(InktopError, match="pip install shtab"):
        completion.script("inktop", "bash")
