"""A real systemd in namespaces of its own: what is installed there is gone with it, unseen by the host."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import List, Optional

SYSTEMD = "/lib/systemd/systemd"
#: Folders that can be written in the box; what is written is kept in memory.
WRITTEN = ("etc", "var", "usr/local")
NAMESPACES = ("--mount", "--pid", "--net", "--uts", "--ipc", "--cgroup")
#: The first process of the box. Of the units that systemd brings, only the log's is started: others would
#: set up devices and kernel settings, which the box shares with its host.
BOOT = f"""
set -e
mount --make-rprivate /
mount --make-rshared /
mount -t tmpfs tmpfs "$1"
for folder in {" ".join(WRITTEN)}; do
  mkdir -p "$1/up/$folder" "$1/work/$folder"
  mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$1/up/$folder,workdir=$1/work/$folder" "/$folder"
done
mount -t tmpfs tmpfs /run
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
for target in sysinit basic sockets timers local-fs multi-user; do
  wants=/lib/systemd/system/$target.target.wants
  if [ -d $wants ]; then mount -t tmpfs tmpfs $wants; fi
done
ln -s ../systemd-journald.service ../systemd-journald.socket /lib/systemd/system/sysinit.target.wants/
rm -rf /etc/systemd/system/*
ip link set lo up
export container=other
exec {SYSTEMD} --unit=multi-user.target --log-target=journal --show-status=false
"""


def cgroup_root() -> Optional[Path]:
    """Where a control group of the second version can be made."""
    for root in (Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/unified")):
        if (root / "cgroup.procs").exists() and (root / "cgroup.controllers").exists():
            return root
    return None


class Box:
    """One systemd, started and ended. ``OSError``: none can be had here, and why."""

    def __init__(self, folder: Path) -> None:
        root = cgroup_root()
        if os.geteuid() != 0 or root is None or not Path(SYSTEMD).exists():
            raise OSError("needs root, systemd and a cgroup2")
        if not all(map(shutil.which, ("unshare", "nsenter", "ip"))):
            raise OSError("needs unshare, nsenter and ip")
        self._group = root / f"inktop-test-{os.getpid()}"
        try:
            self._group.mkdir()
        except OSError as problem:
            raise OSError(f"no control group can be made: {problem.strerror}") from None
        folder.mkdir(exist_ok=True)
        enter = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"'
        unshare = ["unshare", *NAMESPACES, "--fork", "--kill-child"]
        boot = ["sh", "-c", BOOT, "boot", str(folder)]
        self._process = subprocess.Popen(
            ["sh", "-c", enter, "enter", str(self._group), *unshare, *boot],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            self._pid = self._booted()
        except OSError:
            self.close()
            raise

    def _booted(self, seconds: float = 30.0) -> int:
        """The pid, on the host, of the box's first process, once its systemd is up."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children")
        end = time.monotonic() + seconds
        while time.monotonic() < end and self._process.poll() is None:
            try:
                pids = children.read_text().split()
            except OSError:
                break
            if pids and os.path.realpath(f"/proc/{pids[0]}/exe") == os.path.realpath(SYSTEMD):
                self._pid = int(pids[0])
                state = self.run("systemctl", "is-system-running").stdout.strip()
                if state in ("running", "degraded"):
                    return self._pid
            time.sleep(0.1)
        self._process.kill()
        raise OSError(f"systemd does not start in namespaces here: {self._process.communicate()[0][-300:]}")

    def run(self, *command: str, seconds: float = 60.0) -> subprocess.CompletedProcess[str]:
        """A command in the box."""
        enter = [
            "nsenter",
            "--target",
            str(self._pid),
            "--mount",
            "--pid",
            "--net",
            "--uts",
            "--ipc",
            "--cgroup",
        ]
        return subprocess.run(
            [*enter, "--", *command], capture_output=True, text=True, timeout=seconds, check=False, cwd="/"
        )

    def shows(self, unit: str, what: str) -> str:
        """A property of a unit."""
        return self.run("systemctl", "show", "--value", "-p", what, unit).stdout.strip()

    def close(self) -> None:
        """Ends every process of the box, and removes its control groups."""
        self._process.kill()  # its child goes with it, which is the first process of the box
        self._process.wait()
        end = time.monotonic() + 10
        while self._group.exists() and time.monotonic() < end:
            for folder in [*_folders_below(self._group), self._group]:
                try:
                    folder.rmdir()
                except OSError:
                    time.sleep(0.05)


def _folders_below(group: Path) -> List[Path]:
    """The deepest first."""
    return sorted((path for path in group.rglob("*") if path.is_dir()), key=lambda path: -len(path.parts))
