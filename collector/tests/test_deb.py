"""The Debian package, unpacked, and installed, removed and purged in a folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import List

import pytest
from inktop_collector import __version__
from inktop_collector.install import KEY, NVIDIA_DEVICES

PROJECT = Path(__file__).resolve().parents[2]
BUILD = PROJECT / "collector" / "debian" / "build_deb.py"
UNIT = "usr/lib/systemd/system/inktop-collector.service"
GENERATOR = "usr/lib/systemd/system-generators/inktop-collector"
pytestmark = pytest.mark.package


def run(*words: object, **more: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stdout + done.stderr
    return str(done.stdout)


def verify(unit: Path) -> None:
    """As `run`, and systemd has nothing to say of this unit."""
    done = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "inktop" not in done.stderr


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(run(sys.executable, BUILD, tmp_path_factory.mktemp("deb")).strip())


@pytest.fixture
def tree(package: Path, tmp_path: Path) -> Path:
    run("dpkg-deb", "-x", package, tmp_path / "tree")
    return tmp_path / "tree"


def dpkg(root: Path, *words: object) -> str:
    """dpkg on a machine in a folder, whose Python and helpers are left out."""
    (root / "var/lib/dpkg/updates").mkdir(parents=True, exist_ok=True)
    (root / "var/lib/dpkg/info").mkdir(exist_ok=True)
    for name in ("status", "available"):
        (root / "var/lib/dpkg" / name).touch()
    helpers = root.parent / "helpers"
    helpers.mkdir(exist_ok=True)
    for name in ("deb-systemd-helper", "deb-systemd-invoke"):
        script = helpers / name
        script.write_text(f'#!/bin/sh\necho "{name} $*" >>{root.parent}/said\n')
        script.chmod(0o755)
    environment = {**os.environ, "PATH": f"{helpers}:/usr/sbin:/usr/bin:/sbin:/bin"}
    force = ["--force-script-chrootless", "--force-depends", "--force-not-root", "--force-confold"]
    user: List[str] = [] if os.geteuid() == 0 else ["sudo", "-n", f"PATH={environment['PATH']}"]
    return run(*user, "dpkg", f"--root={root}", f"--log={root.parent}/log", *force, *words, env=environment)


def files(root: Path) -> List[str]:
    found = [path.relative_to(root) for path in root.rglob("*") if path.is_file() or path.is_symlink()]
    return sorted(str(path) for path in found if path.parts[:3] != ("var", "lib", "dpkg"))


def test_its_command_says_a_line_of_this_machine_and_its_version(tree: Path) -> None:
    command = tree / "usr/bin/inktop-collector"
    assert run(command, "once", "--interval", "0.1").startswith("h=")
    assert run(command, "--version").strip() == __version__


def test_the_unit_is_one_that_systemd_takes_with_and_without_what_a_machine_adds(
    tree: Path, tmp_path: Path
) -> None:
    text = (tree / UNIT).read_text()
    assert "ExecStart=/usr/bin/python3 -I -S /usr/lib/inktop-collector/inktop-collector.pyz serve\n" in text
    assert "@" not in text.replace("@system-service", "").replace("@privileged", "").replace("@resources", "")
    verify(tree / UNIT)
    root = tmp_path / "root"
    (root / "etc/inktop").mkdir(parents=True)
    (root / "etc/inktop/key").touch()
    (root / "etc/inktop/collector.conf").touch(mode=0o600)
    vendor = root / "sys/bus/pci/devices/0000:01:00.0/vendor"
    vendor.parent.mkdir(parents=True)
    vendor.write_text("0x10de\n")
    folder = (tree / UNIT).parent
    run(tree / GENERATOR, folder, folder, folder, env={**os.environ, "INKTOP_ROOT": str(root)})
    added = (tree / f"{UNIT}.d/machine.conf").read_text().splitlines()
    assert added[0] == "[Service]"
    assert set(NVIDIA_DEVICES.splitlines()[1:]) < set(added), "the same as install gives"
    assert f"LoadCredential=key:{KEY}" in added
    assert "LoadCredential=config:/etc/inktop/collector.conf" in added
    # What it loads is not on this machine; how it is written is what counts.
    verify(tree / UNIT)


def test_the_generator_adds_nothing_on_a_machine_that_needs_nothing(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "root/etc/inktop").mkdir(parents=True)
    (tmp_path / "root/etc/inktop/collector.conf").touch(mode=0o644)
    out = tmp_path / "out"
    out.mkdir()
    run(tree / GENERATOR, out, out, out, env={**os.environ, "INKTOP_ROOT": str(tmp_path / "root")})
    assert files(out) == []


def test_it_installs_keeps_a_changed_setting_and_leaves_nothing_after_a_purge(
    package: Path, tmp_path: Path
) -> None:
    root = tmp_path / "machine"
    dpkg(root, "-i", package)
    installed = files(root)
    for name in (UNIT, GENERATOR, "usr/bin/inktop-collector", "etc/inktop/collector.conf"):
        assert name in installed
    conf = root / "etc/inktop/collector.conf"
    conf.write_text("[collector]\nport = 7999\n")
    (root / "etc/inktop/key").write_text("correct horse battery staple\n")
    (root / "var/lib/private/inktop").mkdir(parents=True)
    (root / "var/lib/private/inktop/gpus").touch()
    (root / "var/lib/inktop").symlink_to("private/inktop")
    dpkg(root, "-i", package)  # once more, as an upgrade
    assert "7999" in conf.read_text()
    dpkg(root, "-r", "inktop-collector")
    assert "etc/inktop/key" in files(root)
    assert UNIT not in files(root)
    dpkg(root, "-P", "inktop-collector")
    assert files(root) == []
    assert not (root / "etc/inktop").exists()
    said = (tmp_path / "said").read_text()
    assert "deb-systemd-helper enable" in said or "update-state" in said
    assert "deb-systemd-helper purge inktop-collector.service" in said


def test_a_service_that_install_has_made_is_named(package: Path, tmp_path: Path) -> None:
    root = tmp_path / "machine"
    own = root / "etc/systemd/system/inktop-collector.service"
    own.parent.mkdir(parents=True)
    own.touch()
    run("dpkg-deb", "-e", package, tmp_path / "control")
    script = tmp_path / "control/postinst"
    environment = {**os.environ, "DPKG_ROOT": str(root)}
    done = subprocess.run([script, "configure", ""], capture_output=True, text=True, env=environment)
    assert "uninstall removes it" in done.stderr


def test_the_same_sources_give_the_same_bytes(package: Path, tmp_path: Path) -> None:
    again = Path(run(sys.executable, BUILD, tmp_path).strip())
    assert again.read_bytes() == package.read_bytes()


def test_what_policy_asks_for_is_there(package: Path, tree: Path) -> None:
    control = run("dpkg-deb", "-f", package)
    for field in ("Package: inktop-collector", f"Version: {__version__}", "Architecture: all", "Maintainer:"):
        assert field in control
    doc = tree / "usr/share/doc/inktop-collector"
    assert "Permission is hereby granted" in (doc / "copyright").read_text()
    assert (doc / "changelog.gz").is_file()
    manual = run("gzip", "-dc", tree / "usr/share/man/man1/inktop-collector.1.gz")
    for word in ("once", "serve", "doctor", "\\-\\-port", "/etc/inktop/collector.conf"):
        assert word in manual
    completion = (tree / "usr/share/bash-completion/completions/inktop-collector").read_text()
    run("bash", "-n", tree / "usr/share/bash-completion/completions/inktop-collector")
    assert "complete" in completion
    assert "--see-processes" in completion
    for path in tree.rglob("*"):
        if not path.is_symlink():
            assert not path.stat().st_mode & 0o022, path
