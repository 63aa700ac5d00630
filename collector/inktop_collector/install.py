"""``install`` and ``uninstall``: the collector as a service of this machine.

Each step is a value that says what it does: ``--dry-run`` shows exactly what would be done.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, List, Mapping, Optional, Sequence

from .config import CONFIG_FILE, SECTION, Config, ConfigError
from .sources.gpu.nvidia import Nvidia

SERVICE = "inktop-collector.service"
UNIT = Path("/etc/systemd/system") / SERVICE
ARCHIVE = Path("/usr/local/lib/inktop/inktop-collector.pyz")
COMMAND = Path("/usr/local/bin/inktop-collector")
KEY = Path("/etc/inktop/key")
AVAHI = Path("/etc/avahi/services/inktop.service")
#: An interpreter in one of these cannot be seen by the service (ProtectHome=, PrivateTmp=).
HIDDEN_FROM_SERVICE = ("/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/")
NO_DEVICES = "PrivateDevices=yes"
#: NVIDIA's cards answer through their device files, of which 195 is the number (Documentation/admin-guide/
#: devices.txt). By number, because the driver may be loaded after the service has started.
NVIDIA_DEVICES = """\
# NVIDIA's cards are read through /dev/nvidia*; every other device stays closed.
PrivateDevices=no
DeviceAllow=char-195 rw"""
NO_PROCESSES = """\
ProtectProc=invisible
PrivateUsers=yes
CapabilityBoundingSet=
AmbientCapabilities="""
#: What ``install --see-processes`` grants: the names of all processes, and what each uses of a GPU. The
#: kernel has no smaller capability for it.
ALL_PROCESSES = """\
# Asked for by --see-processes: who uses a GPU is told by /proc/PID/fdinfo, which needs CAP_SYS_PTRACE.
ProtectProc=default
PrivateUsers=no
CapabilityBoundingSet=CAP_SYS_PTRACE
AmbientCapabilities=CAP_SYS_PTRACE"""
#: Settings that go into the configuration file when they are given to ``install``.
KEPT = (
    "port",
    "bind",
    "interval",
    "allow",
    "interface",
    "gpu_order",
    "gpu_names",
    "gpu_hide",
    "gpu_users",
    "llm",
    "announce",
    "metrics",
    "board_ack",
    "procfs",
    "sysfs",
)


class InstallError(Exception):
    """It cannot be installed; the text says what to do."""


@dataclass(frozen=True)
class Step:
    """One thing to do: a text for a person, what does it, and the content it would write."""

    text: str
    act: Callable[[], None]
    content: str = ""


def template(name: str) -> str:
    """A file of ``deploy``, from a checkout or from the one file."""
    here = Path(__file__)
    beside = here.parent.parent / "deploy" / name
    if beside.is_file():
        return beside.read_text(encoding="utf-8")
    loader = __spec__.loader if __spec__ else None
    get_data = getattr(loader, "get_data", None)
    if get_data is not None:
        try:
            data: bytes = get_data(str(here.parent / "deploy" / name))
        except OSError:
            data = b""
        if data:
            return data.decode("utf-8")
    raise InstallError("the service's files are not here: run `make pyz`, and install that one file")


def interpreter() -> str:
    """A Python that the service can run."""
    # A name without a version first: python3.11 is gone after an upgrade of the distribution.
    for path in ("/usr/bin/python3", "/usr/local/bin/python3"):
        check = "import sys; sys.exit(sys.version_info < (3, 9))"
        if os.access(path, os.X_OK) and subprocess.run([path, "-I", "-S", "-c", check]).returncode == 0:
            return path
    own = os.path.realpath(sys.executable)
    if not own.startswith(HIDDEN_FROM_SERVICE):
        return own
    raise InstallError(
        f"{own} is in a folder that the service cannot see: install Python 3.9 or newer for all users"
    )


def unit_text(
    python: str,
    keyed: bool,
    nvidia: bool,
    processes: bool = False,
    private: bool = False,
    relay: Optional[Mapping[str, str]] = None,
) -> str:
    """The unit. ``private``: only root can read the configuration, so that systemd hands it over, too.

    ``relay``: it runs the relay, whose secrets, by the names of their settings, are in these files.
    """
    credential = f"LoadCredential=key:{KEY}" if keyed else "# No key is set."
    if private:
        credential += f"\nLoadCredential=config:{CONFIG_FILE}"
    credential += "".join(f"\nLoadCredential={name}:{path}" for name, path in (relay or {}).items())
    marks = {
        "@WHAT@": "inktop relay: machines of a Prometheus on e-ink boards"
        if relay is not None
        else "inktop collector: this machine on an e-ink board",
        "@COMMAND@": "serve" if relay is None else "relay",
        # An answer of the engine may have 8 MiB, and takes some times that while it is read.
        "@MEMORY@": "64M" if relay is None else "256M",
        "@PYTHON@": python,
        "@ARCHIVE@": str(ARCHIVE),
        "@CREDENTIAL@": credential,
        "@PROCESSES@": ALL_PROCESSES if processes else NO_PROCESSES,
        "@DEVICES@": NVIDIA_DEVICES if nvidia else NO_DEVICES,
    }
    text = template(SERVICE)
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return text


def config_text(flags: Dict[str, str]) -> str:
    """The configuration file that says what the flags said."""
    lines = [f"[{SECTION}]", "# Every setting: inktop-collector --help"]
    lines += [f"{name} = {flags[name]}" for name in KEPT if name in flags]
    return "\n".join(lines) + "\n"


def make_folder(path: Path) -> None:
    """Makes a folder and those above it, for all to read whatever the umask is."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir()
    path.chmod(0o755)


def write(path: Path, text: str, mode: int) -> Step:
    """Writes a file. What not everybody may read is not shown either."""

    def act() -> None:
        make_folder(path.parent)
        fresh = path.with_name(path.name + ".new")
        fresh.unlink(missing_ok=True)
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fchmod(file.fileno(), mode)
                os.fsync(file.fileno())
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    return Step(f"write {path} (mode {mode:o})", act, text if mode & 0o004 else "")


def remove(path: Path) -> Step:
    """Removes a file, if it is there."""
    return Step(f"remove {path}", lambda: path.unlink(missing_ok=True))


def command(*words: str, may_fail: bool = False) -> Step:
    """Runs a command."""

    def act() -> None:
        done = subprocess.run(words, check=False)
        if done.returncode and not may_fail:
            raise InstallError(
                f"`{' '.join(words)}` failed ({done.returncode}): "
                f"`journalctl -u {SERVICE} -n 20` may tell why"
            )

    return Step("run " + " ".join(words), act)


def copy_archive() -> Step:
    """Copies the file that runs now; from a checkout it is packed first."""
    # Resolved: the command that `install` makes is a link to the file.
    running = Path(sys.argv[0]).resolve() if sys.argv else Path()

    def act() -> None:
        make_folder(ARCHIVE.parent)
        fresh = ARCHIVE.with_name(ARCHIVE.name + ".new")
        if running.is_file() and running.suffix == ".pyz":
            shutil.copyfile(running, fresh)
        else:
            from .pack import build

            build(fresh)
        fresh.chmod(0o755)
        fresh.replace(ARCHIVE)

    source = str(running) if running.suffix == ".pyz" else "this checkout, packed,"
    return Step(f"copy {source} to {ARCHIVE}", act)


def is_our_command() -> bool:
    """Whether the command is the link that ``install`` makes."""
    return COMMAND.is_symlink() and os.readlink(COMMAND) == str(ARCHIVE)


def link_command() -> Step:
    """Makes the command known to shells."""

    def act() -> None:
        make_folder(COMMAND.parent)
        COMMAND.unlink(missing_ok=True)
        COMMAND.symlink_to(ARCHIVE)

    return Step(f"link {COMMAND} to it", act)


def relay_of(config: Config, flags: Dict[str, str]) -> Optional[Dict[str, str]]:
    """The files with the relay's secrets, when that is what is installed. Raises InstallError."""
    if "relay" not in flags:
        return None
    from .relay.settings import read_settings

    # Also for what is wrong in it: the service could not start.
    read_settings(config.relay, {})
    secrets = {name: value for _, name, value, _ in config.relay if name in ("token_file", "login_file")}
    return {name: os.path.abspath(path) for name, path in secrets.items()}


def install_steps(config: Config, flags: Dict[str, str]) -> List[Step]:
    """What ``install`` does, in order."""
    relay = relay_of(config, flags)
    keyed = bool(config.key) or KEY.exists()
    steps = [copy_archive()]
    if not os.path.lexists(COMMAND) or is_our_command():
        steps.append(link_command())
    if config.key:
        steps.append(write(KEY, config.key + "\n", 0o600))
    path = Path(flags.get("config") or CONFIG_FILE)
    wanted = [name for name in KEPT if name in flags]
    mode = 0o644
    if path.exists():
        # A key goes to the service as a credential: it could not read a file in /home, or one of root's.
        mode = path.stat().st_mode & 0o777
        old = path.read_text(encoding="utf-8")
        text = merged(old, flags, wanted, without=("key", "key_file"))
        changed = text != merged(old, flags, [])
    else:
        text, changed = config_text(flags), True
    if changed or path != Path(CONFIG_FILE):
        steps.append(write(Path(CONFIG_FILE), text, mode))
    nvidia = relay is None and bool(Nvidia().plugged(config.roots()))
    private = not mode & 0o004
    unit = unit_text(interpreter(), keyed, nvidia, "see_processes" in flags, private, relay)
    steps.append(write(UNIT, unit, 0o644))
    if not config.announce:
        steps.append(remove(AVAHI))
    elif AVAHI.parent.is_dir():
        steps.append(
            write(AVAHI, template("inktop.avahi.service").replace("@PORT@", str(config.port)), 0o644)
        )
    steps += [
        command("systemctl", "daemon-reload"),
        command("systemctl", "enable", SERVICE),
        command("systemctl", "restart", SERVICE),
    ]
    return steps


def merged(text: str, flags: Dict[str, str], names: List[str], without: Sequence[str] = ()) -> str:
    """An existing configuration with some settings replaced, and others left out."""
    ours: List[str] = []
    boards: List[str] = []
    of_a_board = False
    for line in text.splitlines():
        if line.strip().startswith("["):
            of_a_board = line.strip() != f"[{SECTION}]"
        name = line.partition("=")[0].strip().lower().replace("-", "_")
        if of_a_board:
            boards.append(line)
        elif name not in names and name not in without:
            ours.append(line)
    if f"[{SECTION}]" not in [line.strip() for line in ours]:
        ours.insert(0, f"[{SECTION}]")
    return "\n".join([*ours, *(f"{name} = {flags[name]}" for name in names), *boards]) + "\n"


def uninstall_steps() -> List[Step]:
    """What ``uninstall`` does, in order."""
    steps = [command("systemctl", "disable", "--now", SERVICE, may_fail=True)]
    steps += [remove(path) for path in (UNIT, AVAHI)]
    if is_our_command():
        steps.append(remove(COMMAND))
    steps.append(remove(ARCHIVE))
    return [*steps, command("systemctl", "daemon-reload")]


def perform(steps: List[Step], dry_run: bool) -> int:
    """Does the steps, or shows them."""
    for step in steps:
        print(("would " if dry_run else "") + step.text)
        if dry_run and step.content:
            print("".join(f"    {line}\n" for line in step.content.splitlines()), end="")
        if not dry_run:
            step.act()
    return 0


def blocked(what: str) -> Optional[str]:
    """What keeps this run from ``install`` or ``uninstall``."""
    if not Path("/run/systemd/system").is_dir():
        if what == "uninstall":
            return "no systemd runs here, so no service of it is installed (--dry-run lists its files)"
        return (
            "no systemd runs here: start `inktop-collector serve` from what starts services on this machine"
        )
    if os.geteuid() != 0:
        return f"this needs root: sudo python3 {sys.argv[0]} {what} (or --dry-run to see what it would do)"
    return None


def _run(what: str, make: Callable[[], List[Step]], dry_run: bool) -> int:
    why = None if dry_run else blocked(what)
    if why:
        print(f"inktop-collector: {why}", file=sys.stderr)
        return 1
    try:
        return perform(make(), dry_run)
    except (InstallError, ConfigError, OSError) as problem:
        print(f"inktop-collector: {problem}", file=sys.stderr)
        return 1


def install(config: Config, flags: Dict[str, str], dry_run: bool) -> int:
    """Installs and starts the service; the exit code."""
    code = _run("install", lambda: install_steps(config, flags), dry_run)
    if code == 0:
        print()
        print("It runs now." if not dry_run else "Then it would run. To see that it works:")
        if "relay" not in flags:
            print("  inktop-collector doctor              what it can read here")
        print("  inktop-collector boards              which boards are connected")
        print(f"  journalctl -u {SERVICE} -f   what it says")
        if "see_processes" in flags:
            print("The service has CAP_SYS_PTRACE: it may look into every process of this machine. It reads")
            print("names, control groups, command lines of interpreters, and what each uses of a GPU.")
        if not config.key and not KEY.exists():
            print("No key is set: every board on the networks in `allow` may connect (--key-file sets one).")
    return code


def uninstall(dry_run: bool) -> int:
    """Removes the service; the exit code. Settings, key and remembered GPUs stay."""
    code = _run("uninstall", uninstall_steps, dry_run)
    if code == 0:
        print("/etc/inktop (settings, key) and /var/lib/private/inktop (known GPUs) are left where they are.")
    return code
