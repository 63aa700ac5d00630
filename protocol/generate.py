"""Writes what follows from the table of the line: ``make generate``; ``--check`` only says what is not current.

From inktop_protocol/table.py come the dataclasses in model.py, the structs and the table in cpp/inktop/,
and the tables of README.md, each of which is between two comments there.
"""

from __future__ import annotations

import re
import sys
import textwrap
import types
from pathlib import Path
from typing import Dict, Iterator, List, Tuple, Union

HERE = Path(__file__).resolve().parent
# The package runs the codec, for which model.py must be current: only its table is imported.
_package = types.ModuleType("inktop_protocol")
_package.__path__ = [str(HERE / "inktop_protocol")]
sys.modules["inktop_protocol"] = _package

from inktop_protocol import table  # noqa: E402
from inktop_protocol.schema import (  # noqa: E402
    LETTERS,
    LETTERS_DIGITS,
    NAME,
    PRINTABLE,
    Average,
    Cells,
    Cut,
    DropLast,
    Form,
    Group,
    Item,
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
    Value,
)

MADE = "Made by protocol/generate.py from inktop_protocol/table.py: change that, then `make generate`."
WIDTH = 100
LETTERS_SHOWN = {NAME: "[A-Za-z0-9._-]", LETTERS: "[a-z]", LETTERS_DIGITS: "[a-z0-9]"}
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
INT32_MAX = 2**31 - 1


# ---- What all outputs need ------------------------------------------------------------------------------


def group_of(shape: Shape) -> Union[Group, None]:
    if isinstance(shape, (Repeat, Numbered)):
        return shape.group
    return shape if isinstance(shape, Group) else None


def groups() -> Iterator[Tuple[Group, bool]]:
    """Each group once, in the order of its first use, and whether it has an index."""
    seen: Dict[str, bool] = {}
    for kind in table.KINDS:
        for key in kind.keys:
            group = group_of(key.shape)
            if group is None:
                continue
            numbered = isinstance(key.shape, Numbered)
            if seen.get(group.type, numbered) != numbered:
                raise SystemExit(
                    f"{group.type} is numbered in one key and not in another: make two groups of it"
                )
            if group.type not in seen:
                seen[group.type] = numbered
                yield group, numbered


def comment(lead: str, text: str) -> List[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=lead, subsequent_indent=lead)


def plain(meaning: str) -> str:
    """A meaning in a comment: without the escapes of a Markdown table, and ASCII for C++."""
    text = meaning.replace("\\|", "|").replace("`", "'")
    for char, ascii_char in (("−", "-"), ("…", "..."), ("·", "*"), ("°", "degrees "), ("⌈", ""), ("⌉", "")):
        text = text.replace(char, ascii_char)
    return text


def in_range(number: Number) -> str:
    def shown(value: int) -> str:
        if number.decimals:
            text = f"{value / 10**number.decimals:.{number.decimals}f}"
            return text.rstrip("0").rstrip(".") if number.decimals == 3 else text
        if value >= 10**10 and str(value).strip("0") == "1":
            return f"10^{len(str(value)) - 1}"
        return str(value).replace("-", "−")

    return (f"{number.unit}, " if number.unit else "") + f"{shown(number.low)} to {shown(number.high)}"


# ---- model.py -------------------------------------------------------------------------------------------


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
    lines += ["", "", f"Line = Union[{', '.join(names)}]"]
    return "\n".join(lines) + "\n"


# ---- C++ ------------------------------------------------------------------------------------------------


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
    kinds = ", ".join(kind.name for kind in table.KINDS)
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
        f"enum class LineKind : uint8_t {{ none, {kinds}, other_version, unknown }};",
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
    lines.append(
        "// key, member, shape, separator, required, always, last, closed, offset, where it is counted or flagged,"
    )
    lines.append("// stride, most, values, how many of them")
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


# ---- README.md ------------------------------------------------------------------------------------------


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
        return f"item{'s' * (len(found) > 1)} {numbers} of {name} ({meanings}) become{'s' * (len(found) == 1)} `-`"
    if isinstance(step, Average):
        return f"{name} is averaged into {step.cells} cells"
    if isinstance(step, Newest):
        return f"{name} keeps the newest {step.count}"
    if isinstance(step, Cut):
        return f"{step.member} of {name} is cut to {step.most} characters"
    if isinstance(step, DropLast):
        return f"{name} from the highest number down; the first stays"
    return f"{name} is left out"


def shedding(kind: Kind) -> List[str]:
    return [f"{at}. {shed_text(kind, step)}" for at, step in enumerate(kind.shedding, 1)]


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


def main() -> int:
    old = (HERE / "README.md").read_text(encoding="utf-8")
    files = {
        "inktop_protocol/model.py": model(),
        "cpp/inktop/line_structs.h": line_structs(),
        "cpp/inktop/line_table.h": line_table(),
        "README.md": readme(old),
    }
    stale = []
    for name, text in files.items():
        path = HERE / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if "--check" not in sys.argv[1:]:
                path.write_text(text, encoding="utf-8")
    if "--check" not in sys.argv[1:] or not stale:
        return 0
    print(f"not current: {', '.join(stale)}. Write them with `make generate`.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
