"""cpp/inktop/line_structs.h."""

from __future__ import annotations

import re
from typing import List

from inktop_protocol import table
from inktop_protocol.schema import Cells, Group, Key, Number, Numbered, Repeat, Row, Shape, Value

from .common import MADE, comment, groups, in_range, plain

INT32_MAX = 2**31 - 1


def cpp_constant(name: str) -> str:
    return "k" + "".join(word.capitalize() for word in name.split("_"))


def cpp_int(number: Number) -> str:
    return "int32_t" if number.high <= INT32_MAX else "int64_t"


def counter_of(member: str) -> str:
    """The member that counts another: gpus -> gpu_count."""
    return re.sub("s$", "", member) + "_count"


def flag_of(key: Key) -> str:
    return key.flag or f"has_{key.member}"


def cpp_value(member: str, value: Value, default: str = "") -> str:
    if isinstance(value, Number):
        return f"  {cpp_int(value)} {member} = kUnknown;"
    start = f'"{default}"' if default else "{}"
    return f"  char {member}[{value.most + 1}] = {start};"


def cpp_note(shape: Shape, meaning: str) -> List[str]:
    note = meaning
    value = shape.value if isinstance(shape, Row) else shape
    if isinstance(value, Number):
        note = f"{meaning}; {in_range(value)}"
        if value.decimals:
            note += f", times 10^{value.decimals}"
    return comment("  // ", plain(note))


def cpp_member(key: Key) -> List[str]:
    shape, member = key.shape, key.member
    cells = ". Here -1 is unknown" if isinstance(shape, Cells) else ""
    lines = cpp_note(shape, key.meaning + cells)
    if isinstance(shape, Group):
        lines += [f"  bool {flag_of(key)} = false;", f"  {shape.type} {member};"]
    elif isinstance(shape, Row):
        unknown = ", ".join(["kUnknown"] * shape.count)
        lines += [f"  bool {flag_of(key)} = false;"]
        lines += [f"  {cpp_int(shape.value)} {member}[{shape.count}] = {{{unknown}}};"]
    elif isinstance(shape, Cells):
        lines += [f"  int32_t {counter_of(member)} = 0;", f"  int8_t {member}[{shape.most}] = {{}};"]
    elif isinstance(shape, (Repeat, Numbered)):
        lines += [f"  int32_t {counter_of(member)} = 0;", f"  {shape.group.type} {member}[{shape.most}];"]
    else:
        lines.append(cpp_value(member, shape))
    return lines


def cpp_struct(name: str, doc: str, members: List[str]) -> List[str]:
    return ["", *comment("// ", plain(doc)), f"struct {name} {{", *members, "};"]


def line_structs() -> str:
    kinds = [kind.name for kind in table.KINDS]
    lines = [
        *comment("// ", "What a line says, as data: the C++ twin of inktop_protocol/model.py. " + MADE),
        "//",
        *comment(
            "// ",
            'Every number is an integer with its unit in its name. kUnknown in a number means "the sensor '
            'exists but cannot be read now" ("-" on the wire), or, where no group holds it, that its key '
            "was missing. A group has its own `has_` flag: false means that the machine has no such thing. "
            "Text ends with a NUL; an empty optional text means that its key was missing. All types are "
            "trivially copyable and own nothing.",
        ),
        "#pragma once",
        "",
        "#include <cstdint>",
        "#include <type_traits>",
        "",
        "namespace inktop {",
        "",
    ]
    for name, value, doc in table.CONSTANTS:
        sort = {"DEFAULT_PORT": "uint16_t", "PROTOCOL_VERSION": "int64_t"}.get(name, "int")
        sort = "size_t" if name.endswith("_BYTES") else sort
        lines += [f"// {doc}", f"constexpr {sort} {cpp_constant(name)} = {value};"]
    lines[lines.index("#include <cstdint>")] = "#include <cstddef>\n#include <cstdint>"
    lines += [
        "",
        "// Outside the range of every value of either width, so that one name serves both.",
        "constexpr int32_t kUnknown = INT32_MIN;",
        "",
        "enum class LineKind : uint8_t {",
        *(f"  {kind}," for kind in ("none", *kinds, "other_version", "unknown")),
        "};",
    ]
    for group, numbered in groups():
        members = ["  // The number in its key.", "  int32_t index = 0;"] if numbered else []
        for item in group.items:
            members += cpp_note(item.value, item.meaning)
            members.append(cpp_value(item.member, item.value, item.default or ""))
        lines += cpp_struct(group.type, group.doc, members)
    for kind in table.KINDS:
        members = [line for key in kind.keys for line in cpp_member(key)]
        if kind.versioned:
            members.append("  int64_t version = kProtocolVersion;")
        lines += cpp_struct(kind.type, kind.doc, members)
    lines.append("")
    for kind in table.KINDS:
        why = '"a line is copied between tasks"'
        lines.append(f"static_assert(std::is_trivially_copyable<{kind.type}>::value, {why});")
    return "\n".join([*lines, "", "}  // namespace inktop"]) + "\n"
