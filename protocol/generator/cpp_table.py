"""cpp/inktop/line_table.h."""

from __future__ import annotations

from typing import Dict

from inktop_protocol import table
from inktop_protocol.schema import (
    LETTERS,
    LETTERS_DIGITS,
    NAME,
    PRINTABLE,
    Cells,
    Form,
    Group,
    Key,
    Kind,
    Number,
    Numbered,
    Repeat,
    Row,
    Text,
    Value,
)

from .common import MADE, comment, group_of, groups
from .cpp_structs import counter_of, cpp_int, flag_of

CPP_FORMS = {
    PRINTABLE: "printable",
    NAME: "name",
    LETTERS: "letters",
    LETTERS_DIGITS: "letters_digits",
    "HH:MM": "minute",
    "HH:MM:SS": "second",
    "dddd:bb:dd.f": "pci",
    "WxH": "size",
    "32 hex": "hex",
    "64 hex": "hex",
}


def cpp_bool(value: bool) -> str:
    return str(value).lower()


def value_row(owner: str, member: str, value: Value, required: bool, may_be_unknown: bool, at: str) -> str:
    low, high, decimals, counter = 0, 0, 0, False
    size = f"sizeof({owner}::{member})"
    if isinstance(value, Number):
        low, high, decimals, counter = value.low, value.high, value.decimals, value.counter
        form = "number"
        size = f"sizeof({cpp_int(value)})"
    else:
        form = CPP_FORMS[value.name if isinstance(value, Form) else value.letters]
    return (
        f'    {{"{member}", Form::{form}, {size}, {at}, {decimals}, {cpp_bool(required)}, '
        f"{cpp_bool(may_be_unknown)}, {cpp_bool(counter)}, {low}, {high}}},"
    )


def key_row(kind: Kind, key: Key, single: int) -> str:
    shape, owner = key.shape, kind.type
    group = group_of(shape)
    values, count = (f"k{group.type}Values", len(group.items)) if group else (f"k{owner}Values + {single}", 1)
    separator, present, stride, most, closed, sort = "0", "0", "0", 1, False, "value"
    if group is not None:
        separator, closed, stride = f"'{group.separator}'", group.closed, f"sizeof({group.type})"
        sort = "group"
    if isinstance(shape, (Group, Row)):
        present = f"offsetof({owner}, {flag_of(key)})"
    if isinstance(shape, (Cells, Repeat, Numbered)):
        present = f"offsetof({owner}, {counter_of(key.member)})"
        most = shape.most
        sort = type(shape).__name__.lower()
    if isinstance(shape, Row):
        sort, separator, most = "row", f"'{shape.separator}'", shape.count
        stride = f"sizeof({cpp_int(shape.value)})"
    if isinstance(shape, Cells):
        values, count, stride = "nullptr", 0, "sizeof(int8_t)"
    return (
        f'    {{"{key.key}", "{key.member}", Shape::{sort}, {separator}, {cpp_bool(key.required)}, '
        f"{cpp_bool(key.always)}, {cpp_bool(key.last)}, {cpp_bool(closed)}, "
        f"offsetof({owner}, {key.member}), {present}, {stride}, {most}, {values}, {count}}},"
    )


def line_table() -> str:
    lines = [
        *comment("// ", "The table of the line for the codec. " + MADE),
        "#pragma once",
        "",
        '#include "inktop/line_structs.h"',
        '#include "inktop/schema.h"',
        "",
        "namespace inktop {",
        "",
        "// clang-format off",
        "// member, form, size, offset, decimals, required, may be unknown, counter, low, high",
    ]
    for group, _ in groups():
        lines.append(f"inline constexpr Value k{group.type}Values[] = {{")
        for item in group.items:
            optional = not item.required and item.default is None
            at = f"offsetof({group.type}, {item.member})"
            lines.append(value_row(group.type, item.member, item.value, item.required, optional, at))
        lines.append("};")
    singles: Dict[str, int] = {}
    for kind in table.KINDS:
        lines.append(f"inline constexpr Value k{kind.type}Values[] = {{")
        count = 0
        for key in kind.keys:
            shape = key.shape.value if isinstance(key.shape, Row) else key.shape
            if isinstance(shape, (Number, Text, Form)):
                optional = key.always or isinstance(key.shape, Row)
                lines.append(value_row(kind.type, key.member, shape, key.required, optional, "0"))
                singles[f"{kind.name} {key.key}"] = count
                count += 1
        lines.append("};")
    lines.append("")
    lines += [
        "// key, member, shape, separator, required, always, last, closed, offset, that of its count,",
        "// stride, most, values, how many of them",
    ]
    for kind in table.KINDS:
        lines.append(f"inline constexpr Key k{kind.type}Keys[] = {{")
        lines += [key_row(kind, key, singles.get(f"{kind.name} {key.key}", 0)) for key in kind.keys]
        lines.append("};")
    lines += ["", "// kind, name, first key, keys, how many, version: written, first, where it is"]
    lines.append("inline constexpr Kind kKinds[] = {")
    for kind in table.KINDS:
        version = f"offsetof({kind.type}, version)" if kind.versioned else "0"
        lines.append(
            f'    {{LineKind::{kind.name}, "{kind.name}", "{kind.key}", k{kind.type}Keys, {len(kind.keys)}, '
            f"{cpp_bool(kind.versioned)}, {cpp_bool(kind.version_first)}, {version}}},"
        )
    lines += ["};", "// clang-format on", ""]
    for group, numbered in groups():
        if numbered:
            why = '"the codec finds it there"'
            lines.append(f"static_assert(offsetof({group.type}, index) == 0, {why});")
    return "\n".join([*lines, "", "}  // namespace inktop"]) + "\n"
