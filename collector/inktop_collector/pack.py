"""Packs the collector into one file that runs under Python 3.9 and newer, with nothing installed.

The sources are in it for every Python. The byte code beside them is for the version that packs it:
that one starts faster, and keeps no memory of a compilation, nor of the functions' types and docstrings.
The same sources and the same Python give the same bytes: names are sorted, times are fixed.
"""

from __future__ import annotations

import ast
import marshal
import zipfile
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path
from typing import Dict

HERE = Path(__file__).resolve().parent
#: The oldest time that a zip file can hold.
TIME = (1980, 1, 1, 0, 0, 0)
SHEBANG = b"#!/usr/bin/env python3\n"
MAIN = b'''"""Runs the collector."""

import sys

if sys.version_info < (3, 9):
    sys.exit("inktop-collector needs Python 3.9 or newer; this is " + sys.version.split()[0])

from inktop_collector.__main__ import main

sys.exit(main())
'''
DEPLOY = "inktop_collector/deploy/"


def sources() -> Dict[str, bytes]:
    """Name in the archive to content, from a checkout or an installed package."""
    import inktop_protocol

    found = {"__main__.py": MAIN}
    for base in (HERE, Path(inktop_protocol.__file__).resolve().parent):
        for path in base.rglob("*.py"):
            name = path.relative_to(base.parent).as_posix()
            found[name] = path.read_bytes()
            found[name + "c"] = byte_code(name, found[name])
    beside = HERE.parent / "deploy"
    for path in (beside if beside.is_dir() else HERE / "deploy").iterdir():
        if path.is_file():
            found[DEPLOY + path.name] = path.read_bytes()
    return found


def byte_code(name: str, source: bytes) -> bytes:
    """A module as a .pyc (PEP 552, not checked against its source). Other versions pass it over."""
    tree = ast.parse(source, name)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
            if ast.get_docstring(node) is not None:
                node.body[0] = ast.copy_location(ast.Pass(), node.body[0])
        elif isinstance(node, ast.arg):
            node.annotation = None
    # Version 2 of the format does without references, whose order depends on the process.
    code = marshal.dumps(compile(tree, name, "exec", dont_inherit=True), 2)
    return MAGIC_NUMBER + (1).to_bytes(4, "little") + source_hash(source) + code


def build(target: Path) -> None:
    """Writes the archive."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("wb") as file:
        file.write(SHEBANG)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(sources().items()):
                entry = zipfile.ZipInfo(name, TIME)
                entry.external_attr = 0o644 << 16
                entry.create_system = 3  # Unix, on whatever system it is built
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content, compresslevel=9)
    target.chmod(0o755)
