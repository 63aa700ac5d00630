"""Builds dist/inktop-collector_VERSION_all.deb (`make deb`). The same sources give the same bytes."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, Tuple

HERE = Path(__file__).resolve().parent
COLLECTOR = HERE.parent
PROJECT = COLLECTOR.parent
sys.path[:0] = [str(COLLECTOR), str(PROJECT / "protocol")]
from inktop_collector import __version__, install, pack  # noqa: E402
from inktop_collector.options import COMMANDS, ENDS, make_parser  # noqa: E402

ARCHIVE = Path("usr/lib/inktop-collector/inktop-collector.pyz")
UNIT = Path("usr/lib/systemd/system") / install.SERVICE
#: What `inktop-collector install` makes and an administrator may change.
COMPLETION = "usr/share/bash-completion/completions/inktop-collector"
CONFFILES = ("etc/inktop/collector.conf", "etc/avahi/services/inktop.service")
#: Times of files, where the environment names none: 2026-01-01.
EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", "1767225600"))


def unit() -> str:
    """The unit for any machine; what one machine needs is added by the generator."""
    text = install.unit_text("/usr/bin/python3", keyed=False, nvidia=False)
    text = text.replace(str(install.ARCHIVE), f"/{ARCHIVE}").replace(
        "# No key is set.", "# A key, NVIDIA's devices: from the systemd generator inktop-collector."
    )
    return "\n".join(line for line in text.splitlines() if not line.startswith("# Written by")) + "\n"


def man_page() -> str:
    """The manual page, from what --help says."""

    def escape(text: str) -> str:
        return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")

    lines = [
        f'.TH INKTOP\\-COLLECTOR 1 "" "inktop {__version__}"',
        ".SH NAME",
        "inktop\\-collector \\- push what this machine does to an e\\-ink board",
        ".SH SYNOPSIS",
        ".B inktop\\-collector",
        "COMMAND [OPTION ...]",
        ".SH COMMANDS",
    ]
    for name, (text, _) in COMMANDS.items():
        lines += [".TP", f".B {name}", escape(f"{text}. {ENDS[name]}")]
    lines += [".SH OPTIONS", ".nf"]
    options = make_parser().format_help().split("options:", 1)[-1]
    lines += ["\\&" + escape(line) for line in options.splitlines()]
    lines += [
        ".fi",
        ".SH FILES",
        ".I /etc/inktop/collector.conf",
        "settings;",
        ".I /etc/inktop/key",
        "the key",
    ]
    return "\n".join(lines) + "\n"


def compressed(text: str) -> bytes:
    """As gzip -9n."""
    return gzip.compress(text.encode(), 9, mtime=0)


def copyright_file() -> str:
    """In the form that Debian reads by machine."""
    licence = (PROJECT / "LICENSE").read_text(encoding="utf-8").strip()
    notice = next(line for line in licence.splitlines() if line.startswith("Copyright"))
    body = "\n".join(f" {line}" if line else " ." for line in licence.splitlines())
    head = (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: inktop\n"
    )
    holder = notice.removeprefix("Copyright").strip()
    shtab = (
        f"Files: {COMPLETION}\nCopyright: {holder}\n"
        " shtab's authors, for the functions that it writes into it\n"
        "License: MPL-2.0\n On Debian systems: /usr/share/common-licenses/MPL-2.0. Source: https://github.com/iterative/shtab\n"
    )
    return f"{head}\nFiles: *\nCopyright: {holder}\nLicense: Expat\n{body}\n\n{shtab}"


def completion() -> str:
    """What bash needs to complete the command."""
    command = [sys.executable, "-m", "inktop_tools.cli", "completion", "bash", "--for", "inktop-collector"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def files(work: Path) -> Dict[str, Tuple[bytes, int]]:
    """Path to content and mode."""
    archive = work / "inktop-collector.pyz"
    pack.build(archive)
    # Debian's Python, whatever is first on the PATH.
    shebang = b"#!/usr/bin/python3 -IS\n"
    assert len(shebang) == len(pack.SHEBANG), "the places in the archive count from its beginning"
    whole = archive.read_bytes().replace(pack.SHEBANG, shebang, 1)
    doc = "usr/share/doc/inktop-collector"
    changes = (PROJECT / "CHANGELOG.md").read_text(encoding="utf-8")
    avahi = install.template("inktop.avahi.service").replace("@PORT@", "7910")
    found: Dict[str, Tuple[bytes, int]] = {
        str(ARCHIVE): (whole, 0o755),
        str(UNIT): (unit().encode(), 0o644),
        "usr/lib/systemd/system-generators/inktop-collector": ((HERE / "generator").read_bytes(), 0o755),
        CONFFILES[0]: ((HERE / "collector.conf").read_bytes(), 0o644),
        CONFFILES[1]: (avahi.replace("Written by `inktop-collector install`", "inktop").encode(), 0o644),
        f"{doc}/copyright": (copyright_file().encode(), 0o644),
        f"{doc}/changelog.gz": (compressed(changes), 0o644),
        "usr/share/man/man1/inktop-collector.1.gz": (compressed(man_page()), 0o644),
        COMPLETION: (completion().encode(), 0o644),
    }
    return found


def build(target: Path) -> Path:
    """Writes the package; returns where it is."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tree = work / "tree"
        held = files(work)
        for name, (content, mode) in held.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        command = tree / "usr/bin/inktop-collector"
        command.parent.mkdir(parents=True, exist_ok=True)
        command.symlink_to("../lib/inktop-collector/inktop-collector.pyz")
        debian = tree / "DEBIAN"
        debian.mkdir()
        kib = sum(len(content) for content, _ in held.values()) // 1024 + 1
        control = (HERE / "control").read_text(encoding="utf-8")
        control = control.replace("@VERSION@", __version__).replace("@KIB@", str(kib))
        (debian / "control").write_text(control, encoding="utf-8")
        (debian / "conffiles").write_text("".join(f"/{name}\n" for name in CONFFILES), encoding="utf-8")
        for name in ("postinst", "prerm", "postrm"):
            (debian / name).write_bytes((HERE / name).read_bytes())
            (debian / name).chmod(0o755)
        for path in tree.rglob("*"):
            if path.is_dir():
                path.chmod(0o755)
        target.mkdir(parents=True, exist_ok=True)
        package = target / f"inktop-collector_{__version__}_all.deb"
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(EPOCH)}
        options = ["--root-owner-group", "-Zxz", "--build"]
        subprocess.run(
            ["dpkg-deb", *options, tree, package], check=True, env=environment, stdout=subprocess.DEVNULL
        )
        return package


if __name__ == "__main__":
    print(build(Path(sys.argv[1]) if len(sys.argv) > 1 else PROJECT / "dist"))
