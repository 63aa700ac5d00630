"""``install`` and ``uninstall`` on machines as they are, in a folder instead of the root."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Dict, Iterator, List

import pytest
from inktop_collector import cli, install
from inktop_collector.config import Config, ConfigError, load
from inktop_collector.relay.settings import read_settings

KEY = "correct horse battery staple"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where everything is installed, with systemctl left out."""

    def unheard(*words: str, may_fail: bool = False) -> install.Step:
        return install.Step("run " + " ".join(words), lambda: None)

    monkeypatch.setattr(install, "command", unheard)
    for name in ("UNIT", "ARCHIVE", "COMMAND", "KEY", "AVAHI"):
        monkeypatch.setattr(install, name, tmp_path / str(getattr(install, name))[1:])
    for module in ("inktop_collector.install", "inktop_collector.config"):
        monkeypatch.setattr(f"{module}.CONFIG_FILE", str(tmp_path / "etc/inktop/collector.conf"))
    install.AVAHI.parent.mkdir(parents=True)
    return tmp_path


@pytest.fixture(params=[0o077, 0o000, 0o022], ids=["077", "000", "022"])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def conf(root: Path) -> Path:
    return root / "etc/inktop/collector.conf"


def do(flags: Dict[str, str]) -> Config:
    config = load(flags, {})
    for step in install.install_steps(config, flags):
        step.act()
    return config


def as_service(root: Path) -> Config:
    """The settings as the service has them: it cannot read what is not for everybody, nor /home."""
    given = root / "credentials"
    given.mkdir(exist_ok=True)
    for line in install.UNIT.read_text().splitlines():
        if line.startswith("LoadCredential="):
            name, _, source = line[len("LoadCredential=") :].partition(":")
            (given / name).write_bytes(Path(source).read_bytes())
    hidden = [root / "home/me/key", *(path for path in (conf(root), install.KEY) if path.exists())]
    kept = {path: path.read_bytes() for path in hidden if path.exists() and not path.stat().st_mode & 0o004}
    for hides in kept:
        hides.unlink()
    try:
        # As systemd has it: the variable is there when something is handed over.
        return load({}, {"CREDENTIALS_DIRECTORY": str(given)} if any(given.iterdir()) else {})
    finally:
        for shown, data in kept.items():
            shown.write_bytes(data)


def test_a_key_file_in_home_becomes_the_service_s_credential(root: Path) -> None:
    key = root / "home/me/key"
    key.parent.mkdir(parents=True)
    key.write_text(KEY)
    key.chmod(0o600)
    conf(root).parent.mkdir(parents=True)
    conf(root).write_text(f"[collector]\nport = 7999\nkey_file = {key}\n")
    do({})
    assert install.KEY.read_text() == KEY + "\n"
    assert install.KEY.stat().st_mode & 0o777 == 0o600
    assert "key_file" not in conf(root).read_text()
    service = as_service(root)
    assert (service.key, service.port) == (KEY, 7999)


def test_a_configuration_that_only_root_can_read_stays_so_and_the_service_has_it_all_the_same(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conf(root).parent.mkdir(parents=True)
    conf(root).write_text(f"[collector]\nallow = 192.168.7.0/24\nkey = {KEY}\n")
    conf(root).chmod(0o600)
    install.perform(install.install_steps(load({}, {}), {}), dry_run=True)
    assert KEY not in capsys.readouterr().out
    do({"port": "7999"})
    assert conf(root).stat().st_mode & 0o777 == 0o600
    service = as_service(root)
    assert (service.key, service.port, service.allow) == (KEY, 7999, ("192.168.7.0/24",))


def test_a_configuration_from_elsewhere_is_kept_whole(root: Path) -> None:
    mine = root / "mine.conf"
    mine.write_text(
        "[collector]\nallow = 192.168.7.0/24\ninterval = 2\ngpu_hide = 0000:13:00.0\n[board desk]\nwash = 9\n"
    )
    do({"config": str(mine)})
    service = as_service(root)
    assert service.allow == ("192.168.7.0/24",)
    assert service.interval == 2
    assert service.gpu_hidden == ("0000:13:00.0",)
    assert service.boards == {"desk": {"wash": "9"}}
    do({"config": str(mine), "port": "7999"})
    assert (as_service(root).allow, as_service(root).port) == (("192.168.7.0/24",), 7999)


def test_whatever_the_umask_the_service_can_read_its_files_and_only_root_can_write_them(
    root: Path, umask: int
) -> None:
    before = set(root.rglob("*"))
    config = Config()
    config.key = KEY
    for step in install.install_steps(config, {}):
        step.act()
    for path in root.rglob("*"):
        if path in before or path.is_symlink():
            continue
        mode = path.stat().st_mode & 0o777
        assert mode == (0o600 if path == install.KEY else 0o755 if path.is_dir() else mode), path
        assert not mode & 0o022, path
        if path != install.KEY:
            assert mode & 0o004, path


def test_it_installs_again_through_its_own_link(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    do({})
    monkeypatch.setattr(sys, "argv", [str(install.COMMAND), "install"])
    before = install.ARCHIVE.read_bytes()
    step = install.copy_archive()
    assert str(install.ARCHIVE) in step.text.split(" to ")[0]
    do({})
    assert install.ARCHIVE.read_bytes() == before
    assert not list(root.rglob("*.new"))


@pytest.mark.parametrize("kind", ["file", "link", "dangling"])
def test_a_command_of_somebody_else_is_left_alone(root: Path, kind: str) -> None:
    install.COMMAND.parent.mkdir(parents=True)
    other = root / "other"
    if kind == "file":
        install.COMMAND.write_text("theirs")
    else:
        if kind == "link":
            other.write_text("theirs")
        install.COMMAND.symlink_to(other)
    do({})
    for step in install.uninstall_steps():
        step.act()
    assert os.path.lexists(install.COMMAND)
    if kind != "dangling":
        assert install.COMMAND.read_text() == "theirs"


def test_uninstall_removes_the_command_that_install_made(root: Path) -> None:
    do({})
    assert install.COMMAND.is_symlink()
    for step in install.uninstall_steps():
        step.act()
    assert not os.path.lexists(install.COMMAND)


def test_without_announcements_the_avahi_file_goes_too(root: Path) -> None:
    do({})
    assert install.AVAHI.exists()
    do({"announce": "no"})
    assert not install.AVAHI.exists()


RELAY = "[relay]\nengine = http://127.0.0.1:9090\nhosts = node1\n"


def test_the_relay_is_installed_in_place_of_the_collector(root: Path) -> None:
    token = root / "token"
    token.write_text("s3cret\n")
    conf(root).parent.mkdir(parents=True)
    conf(root).write_text(f"[collector]\nport = 7950\n{RELAY}token_file = {token}\n")
    do({"relay": "yes"})
    unit = install.UNIT.read_text()
    assert "inktop-collector.pyz relay\n" in unit
    assert f"LoadCredential=token_file:{token}\n" in unit
    assert RELAY in conf(root).read_text()
    assert "s3cret" not in unit + conf(root).read_text()
    # The service reads what it was handed, also where the file itself is for root alone.
    handed = root / "credentials"
    handed.mkdir()
    (handed / "token_file").write_bytes(token.read_bytes())
    token.unlink()
    config = load({}, {"CREDENTIALS_DIRECTORY": str(handed)})
    assert read_settings(config.relay, {}, str(handed)).token == "s3cret"
    # And back again.
    (root / "token").write_text("s3cret\n")
    do({})
    unit = install.UNIT.read_text()
    assert "inktop-collector.pyz serve\n" in unit
    assert "token_file" not in unit


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "which Prometheus"),
        (RELAY.replace("node1", "a=0"), "NAME=PORT"),
        (RELAY + "token_file = /none\n", "/none"),
    ],
)
def test_a_relay_that_could_not_start_is_not_installed(root: Path, text: str, said: str) -> None:
    conf(root).parent.mkdir(parents=True)
    conf(root).write_text(text)
    with pytest.raises(ConfigError, match=said):
        do({"relay": "yes"})
    assert not install.UNIT.exists()


def test_no_command_takes_the_key_itself(capsys: pytest.CaptureFixture[str]) -> None:
    """Everybody can read a command line: `ps`."""
    for command in ("serve", "install", "once"):
        assert cli.run([command, "--key", KEY]) == 2
    said: List[str] = capsys.readouterr().err.splitlines()
    assert all("--key" in line for line in said if "unrecognized" in line)


def test_a_file_that_cannot_be_written_leaves_no_new_one_behind(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        install.write(conf(root), "text", 0o644).act()
    assert not conf(root).exists()
    assert not list(root.rglob("*.new"))
