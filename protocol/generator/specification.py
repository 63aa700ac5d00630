"""The tables of README.md, each between two comments there."""

from __future__ import annotations

import re
from typing import List

from inktop_protocol import table
from inktop_protocol.schema import (
    LETTERS,
    LETTERS_DIGITS,
    NAME,
    Average,
    Cells,
    Cut,
    DropLast,
    Form,
    Key,
    Kind,
    Newest,
    Number,
    Numbered,
    Repeat,
    Row,
    Shape,
    Shed,
    Text,
    Unknown,
)

from .common import group_of, in_range

LETTERS_SHOWN = {NAME: "[A-Za-z0-9._-]", LETTERS: "[a-z]", LETTERS_DIGITS: "[a-z0-9]"}


def key_name(key: Key) -> str:
    return (
        f"`{key.key}0` … `{key.key}{key.shape.most - 1}`"
        if isinstance(key.shape, Numbered)
        else f"`{key.key}`"
    )


def shown_value(shape: Shape) -> str:
    if isinstance(shape, Number):
        return f"fixed({shape.decimals})" if shape.decimals else "int" if shape.low < 0 else "uint"
    if isinstance(shape, Text):
        of = f" of `{LETTERS_SHOWN[shape.letters]}`" if shape.letters in LETTERS_SHOWN else ""
        return f"text({shape.most}){of}"
    if isinstance(shape, Form):
        return shape.name if shape.name.endswith(" hex") else f"`{shape.name}`"
    if isinstance(shape, Row):
        return f"{shape.count} × ({shown_value(shape.value)} or `-`), by `{shape.separator}`"
    if isinstance(shape, Cells):
        return f"1 to {shape.most} of hex or `-`"
    if isinstance(shape, Repeat):
        return (
            f"1 to {shape.most} by `,`, each of {len(shape.group.items)} items by `{shape.group.separator}`"
        )
    group = group_of(shape)
    assert group is not None
    return f"up to {len(group.items)} items by `{group.separator}`"


def shown_range(shape: Shape) -> str:
    value = shape.value if isinstance(shape, Row) else shape
    return in_range(value) if isinstance(value, Number) else ""


def markdown(head: List[str], rows: List[List[str]]) -> List[str]:
    lines = [head, ["---"] * len(head), *rows]
    return ["|" + "|".join(f" {cell} " if cell != "---" else cell for cell in row) + "|" for row in lines]


def keys_table(kind: Kind) -> List[str]:
    rows = []
    if kind.versioned:
        rows.append([f"`{kind.key}`", "version", "uint", "", "version of the protocol, 1. Required"])
    for key in kind.keys:
        value = shown_value(key.shape) + (" or `-`" if key.always else "")
        needs = ". Required" * key.required + ". Must be the last field" * key.last
        rows.append([key_name(key), key.member, value, shown_range(key.shape), key.meaning + needs])
    return markdown(["key", "member", "value", "unit, range", "meaning"], rows)


def items_table(kind: Kind, keys: List[str]) -> List[str]:
    rows = []
    for key in kind.keys:
        group = group_of(key.shape)
        if key.key not in keys or group is None:
            continue
        for at, item in enumerate(group.items):
            optional = not item.required and item.default is None
            value = shown_value(item.value) + (" or `-`" if optional else "")
            meaning = item.meaning + (f"; missing = `{item.default}`" if item.default else "")
            meaning += ". Required" * item.required
            name = f"`{key.key}N`" if isinstance(key.shape, Numbered) else f"`{key.key}`"
            rows.append([name, str(at), item.member, value, shown_range(item.value), meaning])
    return markdown(["key", "#", "member", "value", "unit, range", "meaning"], rows)


def shed_text(kind: Kind, step: Shed) -> str:
    key = next(key for key in kind.keys if key.key == step.key)
    name = f"`{key.key}N`" if isinstance(key.shape, Numbered) else f"`{key.key}`"
    if isinstance(step, Unknown):
        group = group_of(key.shape)
        assert group is not None
        found = [(at, item) for at, item in enumerate(group.items) if item.member in step.members]
        numbers = " and ".join(str(at) for at, _ in found)
        meanings = ", ".join(item.meaning for _, item in found)
        if len(found) > 1:
            return f"items {numbers} of {name} ({meanings}) become `-`"
        return f"item {numbers} of {name} ({meanings}) becomes `-`"
    if isinstance(step, Average):
        return f"{name} is averaged into {step.cells} cells"
    if isinstance(step, Newest):
        return f"{name} keeps the newest {step.count}"
    if isinstance(step, Cut):
        return f"{step.member} of {name} is cut to {step.most} characters"
    if isinstance(step, DropLast):
        start = "the highest number down" if isinstance(key.shape, Numbered) else "its end"
        return f"{name} from {start}; the first stays"
    return f"{name} is left out"


def shedding(kind: Kind) -> List[str]:
    lines = []
    for at, steps in enumerate(kind.shedding, 1):
        lines.append(f"{at}. " + "; then ".join(shed_text(kind, step) for step in steps))
    return lines


def readme(text: str) -> str:
    kinds = {kind.name: kind for kind in table.KINDS}

    def made(found: re.Match[str]) -> str:
        what, kind, *keys = found.group(2).split()
        if what == "keys":
            lines = keys_table(kinds[kind])
        elif what == "items":
            lines = items_table(kinds[kind], keys)
        else:
            lines = shedding(kinds[kind])
        return "\n".join([found.group(1), "", *lines, "", "<!-- end -->"])

    return re.sub(r"(<!-- table: ([a-z0-9 ]+) -->)\n.*?<!-- end -->", made, text, flags=re.DOTALL)
