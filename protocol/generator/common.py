"""What all outputs need."""

from __future__ import annotations

import textwrap
from typing import Dict, Iterator, List, Tuple, Union

from inktop_protocol import table
from inktop_protocol.schema import Group, Number, Numbered, Repeat, Shape

MADE = "Made by protocol/generate.py from inktop_protocol/table.py: change that, then `make generate`."
WIDTH = 100


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
    """Lines of at most WIDTH characters, the last of more than two words."""
    for width in range(WIDTH, WIDTH // 2, -1):
        lines = textwrap.wrap(text, width, initial_indent=lead, subsequent_indent=lead)
        if len(lines) == 1 or len(lines[-1][len(lead) :].split()) > 2:
            break
    return lines


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
