"""The page that flashes from a browser: manifest, images, places, checksums, and no secret in it."""

from __future__ import annotations

import hashlib
import json
import re
import struct
from pathlib import Path

import jsonschema
import pytest
from inktop_collector import __version__
from inktop_tools import cli
from inktop_tools.device import web_page

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((Path(__file__).parent / "manifest_schema.json").read_text())
#: The partition table of the Arduino core's default_16MB.csv: what must lie where.
OTADATA_AT, APP0_AT, APP0_BYTES = 0xE000, 0x10000, 0x640000


def image(text: str = "") -> bytes:
    """The head of a program for the ESP32-S3, and a text in it."""
    return b"\xe9\x05\x02\x4f" + bytes(8) + struct.pack("<H", 9) + bytes(10) + text.encode() + b"\0" * 40


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two environments built, PlatformIO's folder, and secrets of one's own."""
    project = tmp_path / "checkout"
    for environment in ("v7", "v7_nopmic"):
        folder = project / ".pio/build" / environment
        folder.mkdir(parents=True)
        for name in ("bootloader.bin", "firmware.bin"):
            (folder / name).write_bytes(image(environment + name))
        (folder / "partitions.bin").write_bytes(b"\xaa\x50" + environment.encode())
    for name in ("NOTICE", "LICENSE", "platformio.ini"):
        (project / name).write_text((ROOT / name).read_text())
    boot_app0 = tmp_path / "pio/packages" / web_page.BOOT_APP0
    boot_app0.parent.mkdir(parents=True)
    boot_app0.write_bytes(b"\1\0\0\0" + b"\xff" * 8188)
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/secrets.h").write_text('#define INKTOP_WIFI_PASSWORD "correct horse"\n')
    monkeypatch.setenv("PLATFORMIO_CORE_DIR", str(tmp_path / "pio"))
    monkeypatch.setenv("INKTOP_SECRETS_DIR", str(tmp_path / "secrets"))
    return project


def flash(project: Path, target: Path) -> int:
    return cli.main(["flash", "--project", str(project), "--web-page", str(target)])


def test_each_manifest_is_valid_and_names_every_image_at_its_place(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "page"
    assert flash(project, target) == 0
    manifests = sorted(target.glob("manifest-*.json"))
    assert [path.name for path in manifests] == ["manifest-v7.json", "manifest-v7_nopmic.json"]
    for path in manifests:
        manifest = json.loads(path.read_text())
        jsonschema.validate(manifest, SCHEMA)
        assert manifest["version"] == __version__
        parts = manifest["builds"][0]["parts"]
        environment = path.stem[len("manifest-") :]
        assert {part["offset"]: part["path"] for part in parts} == {
            0x0: f"{environment}/bootloader.bin",
            0x8000: f"{environment}/partitions.bin",
            OTADATA_AT: f"{environment}/boot_app0.bin",
            APP0_AT: f"{environment}/firmware.bin",
        }
        ends = [(part["offset"], part["offset"] + (target / part["path"]).stat().st_size) for part in parts]
        for (_, end), (start, _) in zip(ends, ends[1:]):
            assert end <= start, "no image lies on another"
        assert ends[-1][1] <= APP0_AT + APP0_BYTES
        assert (target / parts[-1]["path"]).read_bytes() == image(environment + "firmware.bin")


@pytest.mark.parametrize(
    "broken",
    [
        {"name": "inktop", "version": "0.1.0", "builds": []},
        {"name": "inktop", "version": "0.1.0", "builds": [{"chipFamily": "ESP32", "parts": []}]},
        {"name": "inktop", "version": "v0", "builds": [{"chipFamily": "ESP32-S3", "parts": [{}]}]},
    ],
)
def test_a_wrong_manifest_is_refused_by_the_schema(broken: object) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, SCHEMA)


def test_every_file_has_its_checksum_and_the_licences_are_there(project: Path, tmp_path: Path) -> None:
    target = tmp_path / "page"
    assert flash(project, target) == 0
    rows = [line.split("  ") for line in (target / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in rows}
    files = {path.relative_to(target).as_posix() for path in target.rglob("*") if path.is_file()}
    assert set(sums) == files - {"SHA256SUMS"}
    assert {"NOTICE", "LICENSE", "index.html"} < files
    for name, digest in sums.items():
        assert hashlib.sha256((target / name).read_bytes()).hexdigest() == digest


def test_the_page_loads_one_version_of_its_component_and_offers_what_was_built(
    project: Path, tmp_path: Path
) -> None:
    target = tmp_path / "page"
    assert flash(project, target) == 0
    text = (target / "index.html").read_text()
    assert re.search(r'src="https://unpkg\.com/esp-web-tools@\d+\.\d+\.\d+/', text)
    assert re.findall(r'name="board" value="(\w+)"', text) == ["v7", "v7_nopmic"]
    assert 'manifest="manifest-v7.json"' in text
    assert "press RST" in text
    assert "@" not in re.sub(r"esp-web-tools@", "", text), "every mark is filled in"


def test_an_image_with_secrets_is_not_published(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / ".pio/build/v7_nopmic/firmware.bin").write_bytes(image("correct horse"))
    assert flash(project, tmp_path / "page") == 1
    said = capsys.readouterr().err
    assert "secrets init --empty" in said
    assert "correct horse" not in said
    assert not (tmp_path / "page").exists()


def test_nothing_built_a_part_missing_and_a_folder_in_use_say_what_to_do(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used/file").touch()
    assert flash(project, tmp_path / "used") == 1
    assert "empty folder" in capsys.readouterr().err
    (project / ".pio/build/v7/partitions.bin").unlink()
    assert flash(project, tmp_path / "page") == 1
    assert "build again" in capsys.readouterr().err
    (project / ".pio/build/v7_nopmic/firmware.bin").write_bytes(b"\0" * 64)
    (project / ".pio/build/v7/partitions.bin").touch()
    assert flash(project, tmp_path / "page") == 1
    assert "no program for the ESP32-S3" in capsys.readouterr().err
    for path in (project / ".pio/build").glob("*/firmware.bin"):
        path.unlink()
    assert flash(project, tmp_path / "page") == 1
    assert "inktop flash --build-only" in capsys.readouterr().err
    assert flash(tmp_path, tmp_path / "page") == 1
    assert "from a checkout" in capsys.readouterr().err
