"""`inktop flash --web-page DIR`: a page that writes what was built to a board, from a browser.

The form is that of ESP Web Tools: for each environment a manifest of its images and their places.
"""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List

from inktop_tools.device.build import CHIP_ESP32S3, IMAGE_MAGIC, environments, secrets_folder
from inktop_tools.errors import InktopError

#: What runs in the browser. Pinned: a page that writes firmware must not change by itself.
WEB_TOOLS = "https://unpkg.com/esp-web-tools@10.4.0/dist/web/install-button.js?module"
#: Of an ESP32-S3 with default_16MB.csv: the ROM starts the bootloader at 0, and boot_app0 ("the first place
#: of the program is in force") lies where that table has `otadata`.
PARTS = (
    ("bootloader.bin", 0x0),
    ("partitions.bin", 0x8000),
    ("boot_app0.bin", 0xE000),
    ("firmware.bin", 0x10000),
)
BOOT_APP0 = "framework-arduinoespressif32/tools/partitions/boot_app0.bin"
BOARDS = {
    "v7": "with the I2C power chip (a square chip marked TPS65185 near the panel's socket)",
    "v7_nopmic": "without that chip (a small potentiometer instead)",
    "v7_selftest": "with the power chip, self-test built in",
    "v7_nopmic_selftest": "without the power chip, self-test built in",
}
WITHOUT_SECRETS = (
    "Build without secrets:\n"
    "  export INKTOP_SECRETS_DIR=$(mktemp -d)\n"
    "  inktop secrets init --empty && inktop flash --build-only"
)
#: What passes on with every image (NOTICE says why).
PAPERS = ("NOTICE", "LICENSE")
_STRING = re.compile(r'^\s*#\s*define\s+\w+\s+"((?:[^"\\]|\\.)*)"', re.MULTILINE)


@dataclass(frozen=True)
class Images:
    """The images of one environment: file name to where it is."""

    environment: str
    files: Dict[str, Path]


def built(project: Path) -> List[Images]:
    """Every environment that has been built. Raises InktopError when there is none, or a part is missing."""
    found = []
    for name in environments(project):
        folder = project / ".pio" / "build" / name
        if not (folder / "firmware.bin").is_file():
            continue
        files = {part: folder / part for part, _ in PARTS}
        if not files["boot_app0.bin"].is_file():
            files["boot_app0.bin"] = boot_app0()
        for path in files.values():
            if not path.is_file():
                raise InktopError(f"{path} is missing: build again, inktop flash --build-only --env {name}")
        _check_firmware(files["firmware.bin"])
        found.append(Images(name, files))
    if not found:
        raise InktopError(f"nothing has been built in {project / '.pio/build'}.\n{WITHOUT_SECRETS}")
    return found


def boot_app0() -> Path:
    """Where PlatformIO keeps the one image that no build makes."""
    core = os.environ.get("PLATFORMIO_CORE_DIR", "").strip()
    return (Path(core).expanduser() if core else Path.home() / ".platformio") / "packages" / BOOT_APP0


def _check_firmware(path: Path) -> None:
    data = path.read_bytes()
    if len(data) < 24 or data[0] != IMAGE_MAGIC or int.from_bytes(data[12:14], "little") != CHIP_ESP32S3:
        raise InktopError(f"{path} is no program for the ESP32-S3: build again, inktop flash --build-only")
    header = secrets_folder() / "secrets.h"
    texts = _STRING.findall(header.read_text(encoding="utf-8")) if header.is_file() else []
    for text in texts:
        if len(text) >= 4 and text.encode() in data:
            raise InktopError(
                f"{path} holds what {header} says, and whoever loads the page could read it.\n"
                f"{WITHOUT_SECRETS}"
            )


def manifest(environment: str, version: str) -> Dict[str, Any]:
    """What ESP Web Tools is told of one environment."""
    return {
        "name": f"inktop ({environment})",
        "version": version,
        # The settings of a board stay unless a person asks to erase them.
        "new_install_prompt_erase": True,
        # The firmware has a form of its own for the Wi-Fi, and does not speak Improv.
        "new_install_improv_wait_time": 0,
        "builds": [
            {
                "chipFamily": "ESP32-S3",
                "parts": [{"path": f"{environment}/{name}", "offset": offset} for name, offset in PARTS],
            }
        ],
    }


def write_page(project: Path, target: Path, version: str) -> List[str]:
    """Writes page, manifests, images and checksums into `target`, new or empty; the environments."""
    images = built(project)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InktopError(f"{target} is there already: name a new or an empty folder.")
    target.mkdir(parents=True, exist_ok=True)
    for one in images:
        folder = target / one.environment
        folder.mkdir()
        for name, path in one.files.items():
            shutil.copyfile(path, folder / name)
        text = json.dumps(manifest(one.environment, version), indent=2) + "\n"
        (target / f"manifest-{one.environment}.json").write_text(text, encoding="utf-8")
    for name in PAPERS:
        shutil.copyfile(project / name, target / name)
    names = [one.environment for one in images]
    (target / "index.html").write_text(page(names, version), encoding="utf-8")
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(target).as_posix()}\n"
        for path in sorted(target.rglob("*"))
        if path.is_file()
    ]
    (target / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    return names


def page(names: List[str], version: str) -> str:
    """The page, which offers these environments."""
    choices = "\n".join(
        f'    <label><input type="radio" name="board" value="{html.escape(name)}">\n'
        f"      <code>{html.escape(name)}</code>: {html.escape(BOARDS.get(name, 'of your own'))}</label>"
        for name in names
    )
    text = Path(__file__).with_name("web_page.html").read_text(encoding="utf-8")
    marks = {"@VERSION@": html.escape(version), "@CHOICES@": choices, "@FIRST@": html.escape(names[0])}
    marks["@WEB_TOOLS@"] = html.escape(WEB_TOOLS)
    for mark, value in marks.items():
        text = text.replace(mark, value)
    return text
