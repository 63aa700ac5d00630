"""Settings: flags before variables before the file, and what a bad value says."""

from __future__ import annotations

from pathlib import Path
from typing import Dict, List

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inktop_collector.address import DEFAULT_ALLOW, Networks, plain
from inktop_collector.board_settings import settings_line
from inktop_collector.cli import run
from inktop_collector.config import SETTINGS, Config, ConfigError, UsageError, load
from inktop_collector.options import COMMANDS, GROUPS, parse
from inktop_protocol import Assignment, SettingsLine


def from_file(folder: Path, text: str) -> Config:
    path = folder / "collector.conf"
    path.write_text(text)
    return load({"config": str(path)}, {})


def test_the_defaults_need_no_file() -> None:
    config = load({}, {})
    assert (config.port, config.bind, config.interval, config.key) == (7910, "::", 1.0, "")
    assert config.allow == DEFAULT_ALLOW
    assert config.announce is True


def test_a_flag_goes_before_a_variable_and_a_variable_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.conf"
    path.write_text("[collector]\nport = 1001\ninterval = 2\nbind = 10.0.0.1\n")
    environment = {"INKTOP_PORT": "1002", "INKTOP_INTERVAL": "3"}
    config = load({"config": str(path), "port": "1003"}, environment)
    assert (config.port, config.interval, config.bind) == (1003, 3.0, "10.0.0.1")


def test_the_file_has_comments_quotes_and_any_spelling(tmp_path: Path) -> None:
    config = from_file(
        tmp_path,
        """
; a comment
[collector]
port=8000            # behind a value
GPU-Order = 0000:07:00.0, 0000:03:00.0
gpu_names = 0000:03:00.0=Left one, 0000:07:00.0 = Right
key = "correct horse battery staple"
allow = 192.168.7.0/24 loopback
announce = off
""",
    )
    assert config.port == 8000
    assert config.gpu_order == ("0000:07:00.0", "0000:03:00.0")
    assert config.gpu_names == {"0000:03:00.0": "Left one", "0000:07:00.0": "Right"}
    assert config.key == "correct horse battery staple"
    assert config.allow == ("192.168.7.0/24", "loopback")
    assert config.announce is False


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("port = 70000", "1 to 65535"),
        ("port = http", "1 to 65535"),
        ("interval = 0", "0.1 to 10"),
        ("interval = 11", "0.1 to 10"),
        ("interval = nan", "0.1 to 10"),
        ("key = short", "16 to 64"),
        ("key = \u00fcmlaut \u00fcmlaut \u00fcmlaut", "16 to 64"),
        ("bind = example.org", "IPv4 or IPv6"),
        ("allow = 192.168.1.0/33", "0 to 32"),
        ("allow = 192.168.1.7/24", "outside its network: write 192.168.1.0/24 for the whole network, or 192"),
        ("allow = fd00::7/64", "outside its network: write fd00::/64 for the whole network, or fd00::7 for"),
        ("allow = everybody", "is not a network"),
        ("allow = ", "at least one"),
        ("interface = a/b", "network interface"),
        ("interface = averyveryverylongname", "network interface"),
        ("gpu_order = 03:00.0", "0000:03:00.0"),
        ("gpu_names = Left", "ADDRESS"),
        ("announce = perhaps", "yes or no"),
        ("procfs = /nowhere", "no such folder"),
        ("key_file = /nowhere", "cannot read"),
        ("colour = red", "not a setting"),
        ("port", "name = value"),
    ],
)
def test_a_bad_value_stops_the_start_with_file_line_and_reason(
    tmp_path: Path, line: str, reason: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        from_file(tmp_path, f"[collector]\n\n{line}\n")
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / 'collector.conf'}:3: ")
    assert reason.replace("ADDRESS", "0000:03:00.0=Left") in text


def test_a_byte_order_mark_is_no_part_of_a_setting(tmp_path: Path) -> None:
    """Editors of other systems begin a file with one, and end lines with a carriage return."""
    (tmp_path / "key").write_bytes(b"\xef\xbb\xbfcorrect horse battery staple\r\n")
    text = f"[collector]\r\nport = 8000\r\nkey_file = {tmp_path / 'key'}\r\n"
    path = tmp_path / "collector.conf"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    config = load({"config": str(path)}, {})
    assert (config.port, config.key) == (8000, "correct horse battery staple")


@pytest.mark.parametrize(("mode", "warned"), [(0o600, False), (0o640, False), (0o644, True), (0o604, True)])
def test_a_key_that_everybody_can_read_is_warned_about(
    tmp_path: Path, mode: int, warned: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "key"
    path.write_text("correct horse battery staple")
    path.chmod(mode)
    run(["boards", "--runtime-dir", str(tmp_path), "--config", from_key(tmp_path, path)])
    said = capsys.readouterr().err
    assert (f"chmod 600 {path}" in said) is warned
    assert "correct horse" not in said


def from_key(folder: Path, key: Path) -> str:
    path = folder / "collector.conf"
    path.write_text(f"[collector]\nkey_file = {key}\n")
    return str(path)


def test_a_bad_entry_is_named_once(tmp_path: Path) -> None:
    for line in ("allow = everybody", "gpu_order = 03:00.0"):
        with pytest.raises(ConfigError) as caught:
            from_file(tmp_path, f"[collector]\n{line}\n")
        assert str(caught.value).count(repr(line.split(" = ")[1])) == 1


@pytest.mark.parametrize(
    ("text", "where", "reason"),
    [
        ("port = 1\n", ":1:", "[collector]"),
        ("[other]\n", ":1:", "[collector]"),
        ("[collector]\nport = 1\n\nport = 2\n", ":4:", "line 2"),
        ("[collector desk]\n", ":1:", "[board NAME]"),
        ("[boards]\n", ":1:", "[board NAME]"),
        ("[board a b]\n", ":1:", "A-Z a-z 0-9"),
        (f"[board {'b' * 32}]\n", ":1:", "31 characters"),
        ("[board]\nwash 900\n", ":2:", "name = value"),
        ("[board]\nwash = 900\nwash = 8\n", ":3:", "line 2"),
        ("[board]\nwash =\n", ":2:", "1 to 23 printable"),
        (f"[board]\nwash = {'9' * 24}\n", ":2:", "1 to 23 printable"),
        ("[board]\nwash = 1,2\n", ":2:", "must not hold"),
        ("[board]\nwash = café\n", ":2:", "1 to 23 printable"),
        ("[board]\na b = 1\n", ":2:", "no name of a setting"),
        ("[board desk]\npassword = correct horse\n", ":2:", "inktop configure set password"),
        (
            "[board]\n"
            + "".join(f"s{n} = 1\n" for n in range(15))
            + "[board desk]\n"
            + "".join(f"t{n} = 1\n" for n in range(6)),
            ":",
            "board desk has more than 20 settings",
        ),
    ],
)
def test_a_file_that_is_not_well_formed_is_refused(
    tmp_path: Path, text: str, where: str, reason: str
) -> None:
    with pytest.raises(ConfigError, match=where.replace(":", "[:]")) as caught:
        from_file(tmp_path, text)
    assert reason in str(caught.value)


def test_a_board_has_its_own_settings_over_those_of_all_boards(tmp_path: Path) -> None:
    config = from_file(
        tmp_path,
        """
[collector]
interval = 2
[board]
wash = 900             # for all of them
Hot-Spot = 0
[board desk]
wash = 600
quiet = "22:00-07:00"
[collector]
port = 7911
""",
    )
    assert (config.interval, config.port) == (2.0, 7911)
    assert settings_line(config.boards, "desk").values == (
        Assignment("wash", "600"),
        Assignment("hot_spot", "0"),
        Assignment("quiet", "22:00-07:00"),
    )
    assert settings_line(config.boards, "wall").values == (
        Assignment("wash", "900"),
        Assignment("hot_spot", "0"),
    )
    assert settings_line({}, "wall") == SettingsLine()


def test_a_secret_in_a_boards_section_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        from_file(tmp_path, "[board]\npassword = correct horse\n")
    assert "correct horse" not in str(caught.value)


def test_a_bad_key_is_not_shown(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        from_file(tmp_path, "[collector]\nkey = tooshort\n")
    assert "tooshort" not in str(caught.value)


def test_a_bad_flag_and_a_bad_variable_are_named() -> None:
    with pytest.raises(ConfigError, match="--gpu-order"):
        load({"gpu_order": "x"}, {})
    with pytest.raises(ConfigError, match="INKTOP_PORT"):
        load({}, {"INKTOP_PORT": "x"})


def test_a_file_that_was_named_and_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        load({"config": "/nowhere/c.conf"}, {})


def test_systemd_gives_key_and_folders(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("correct horse battery staple\n")
    environment = {
        "CREDENTIALS_DIRECTORY": str(tmp_path),
        "STATE_DIRECTORY": "/var/lib/inktop",
        "RUNTIME_DIRECTORY": "/run/inktop:/run/other",
    }
    config = load({}, environment)
    assert config.key == "correct horse battery staple"
    assert (config.state_dir, config.runtime_dir) == ("/var/lib/inktop", "/run/inktop")


@given(st.binary(max_size=300))
def test_any_file_is_settings_or_a_readable_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("c") / "c.conf"
    path.write_bytes(data)
    said = str(path)
    try:
        load({"config": str(path)}, {})
    except ConfigError as problem:
        said = str(problem)
    assert str(path) in said


@pytest.mark.parametrize(
    ("arguments", "command", "flags"),
    [
        (["serve"], "serve", {}),
        (["once", "--interval", "2"], "once", {"interval": "2"}),
        (["--port=1", "serve", "--gpu-order=a"], "serve", {"port": "1", "gpu_order": "a"}),
        (["install", "--dry-run"], "install", {"dry_run": "yes"}),
    ],
)
def test_flags_are_understood(arguments: List[str], command: str, flags: Dict[str, str]) -> None:
    assert parse(arguments) == (command, flags)


@pytest.mark.parametrize(
    "arguments", [["dance"], ["serve", "once"], ["serve", "--colour"], ["serve", "--port"]]
)
def test_what_is_not_understood_is_said(arguments: List[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError):
        parse(arguments)
    assert run(arguments) == 2
    assert capsys.readouterr().err.startswith("inktop-collector: ")


def test_help_shows_every_command_and_setting(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    for word in ("once", "serve", "doctor", "--key-file", "--gpu-hide", "--procfs"):
        assert word in text


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_a_help_of_its_own(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: inktop-collector {command} ")
    assert ("--gpu-order" in text) is (command in ("once", "serve", "doctor", "install"))
    assert ("--dry-run" in text) is (command in ("install", "uninstall"))
    assert ("--json" in text) is (command in ("once", "boards", "doctor"))
    assert "Ends with 0" in text


def test_every_setting_is_in_one_group_of_the_help() -> None:
    grouped = [name for group in GROUPS.values() for name in group]
    # The key itself is no flag: everybody on the machine sees the command lines of all processes.
    assert sorted([*grouped, "key"]) == sorted(SETTINGS)


@pytest.mark.parametrize(
    ("text", "address"), [("[::1]", "::1"), ("::1", "::1"), ("fe80::1%eno1", "fe80::1%eno1")]
)
def test_an_ipv6_address_to_listen_on_is_written_with_or_without_brackets(text: str, address: str) -> None:
    assert load({"bind": text}, {}).bind == address


# -- who may connect --


@pytest.mark.parametrize(
    ("address", "may"),
    [
        ("127.0.0.1", True),
        ("127.200.1.1", True),
        ("::1", True),
        ("10.1.2.3", True),
        ("172.15.255.255", False),
        ("172.16.0.0", True),
        ("172.31.255.255", True),
        ("172.32.0.0", False),
        ("192.168.255.1", True),
        ("192.169.0.1", False),
        ("169.254.7.7", True),
        ("fe80::1%eth0", True),
        ("febf::1", True),
        ("fec0::1", False),
        ("fc00::1", True),
        ("fdff::1", True),
        ("fe00::1", False),
        ("100.64.0.1", True),
        ("100.127.255.255", True),
        ("100.128.0.0", False),
        ("100.63.255.255", False),
        ("8.8.8.8", False),
        ("2001:db8::1", False),
        ("::ffff:192.168.1.1", True),
        ("::ffff:8.8.8.8", False),
        ("::ffff:7f00:1", True),
        ("::192.168.1.1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("nonsense", False),
        ("", False),
    ],
)
def test_out_of_the_box_only_private_networks_may_connect(address: str, may: bool) -> None:
    assert (address in Networks(DEFAULT_ALLOW)) is may


def test_any_means_any() -> None:
    networks = Networks(("any",))
    assert "8.8.8.8" in networks
    assert "2001:db8::1" in networks


def test_one_address_is_a_network() -> None:
    networks = Networks(("192.0.2.7", "2001:db8::7"))
    assert "192.0.2.7" in networks
    assert "192.0.2.8" not in networks
    assert "::ffff:192.0.2.7" in networks
    assert "2001:db8::7" in networks


@pytest.mark.parametrize(
    "entry", ["::ffff:10.0.0.0/104", "10.0.0.0/", "10.0.0.0/x", "10.0.0.0/-1", "/8", "::/129"]
)
def test_what_is_not_a_network_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match="network|IPv4"):
        Networks((entry,))


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::1"),
        ("192.0.2.7", "192.0.2.7"),
        ("::1", "::1"),
    ],
)
def test_an_address_is_shown_without_zone_and_mapping(address: str, shown: str) -> None:
    assert plain(address) == shown


def test_every_setting_has_its_place() -> None:
    assert all(hasattr(Config(), attribute) for attribute, _, _ in SETTINGS.values())
