"""inktop_protocol/model.py."""

from __future__ import annotations

from typing import List, Union

from inktop_protocol import table
from inktop_protocol.schema import Cells, Form, Group, Item, Key, Number, Numbered, Repeat, Row, Shape, Text

from .common import MADE, groups


def python_type(shape: Shape) -> str:
    if isinstance(shape, Number):
        return "int"
    if isinstance(shape, (Text, Form)):
        return "str"
    if isinstance(shape, Row):
        return "Tuple[" + ", ".join(["Optional[int]"] * shape.count) + "]"
    if isinstance(shape, Cells):
        return "Tuple[Optional[int], ...]"
    if isinstance(shape, Group):
        return shape.type
    return f"Tuple[{shape.group.type}, ...]"


def python_field(row: Union[Item, Key]) -> str:
    shape = row.value if isinstance(row, Item) else row.shape
    text = python_type(shape)
    if row.required:
        return f"    {row.member}: {text}"
    if isinstance(row, Item) and row.default is not None:
        return f'    {row.member}: {text} = "{row.default}"'
    if isinstance(shape, (Repeat, Numbered)):
        return f"    {row.member}: {text} = ()"
    return f"    {row.member}: Optional[{text}] = None"


def python_class(name: str, doc: str, fields: List[str]) -> List[str]:
    return ["", "", "@dataclass(frozen=True)", f"class {name}:", f'    """{doc}"""', "", *fields]


def model() -> str:
    lines = [
        '"""What a line says, as data: one frozen dataclass for each kind of line.',
        "",
        MADE,
        "",
        "Every number is an integer with its unit in its name. ``None`` for a number of a group means",
        '"the sensor exists but cannot be read now" (``-`` on the wire), or that the list ended before it;',
        "``None`` for a whole group means that the machine has no such thing (no key on the wire).",
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from dataclasses import dataclass",
        "from typing import Optional, Tuple, Union",
        "",
    ]
    for name, value, doc in table.CONSTANTS:
        lines += [f"#: {doc}", f"{name} = {value}"]
    for group, numbered in groups():
        fields = [python_field(item) for item in group.items]
        lines += python_class(group.type, group.doc, ["    index: int"] * numbered + fields)
    version = "    version: int = PROTOCOL_VERSION"
    for kind in table.KINDS:
        fields = [python_field(key) for key in kind.keys]
        if kind.versioned:
            fields.insert(0 if kind.version_first else len(fields), version)
        lines += python_class(kind.type, kind.doc, fields)
    lines += python_class(
        "OtherVersion",
        "A line of a known kind in a version this receiver cannot read.",
        ["    kind: str", "    version: int"],
    )
    lines += python_class(
        "UnknownKind",
        "A well-formed line whose first key this receiver does not know: to be ignored.",
        ["    key: str"],
    )
    names = [*[kind.type for kind in table.KINDS], "OtherVersion", "UnknownKind"]
    lines += ["", "", "Line = Union[", f"    {', '.join(names)}", "]"]
    return "\n".join(lines) + "\n"
