"""The text of a page of metrics: OpenMetrics 1.0, or Prometheus' older text format 0.0.4."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Set, Tuple, Union

OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8"
CLASSIC = "text/plain; version=0.0.4; charset=utf-8"

Number = Union[int, float]
Labels = Mapping[str, object]

#: What a family's name is followed by in its samples.
_SUFFIXES = {"counter": "_total", "info": "_info"}
#: What the older format calls the kinds that it does not know.
_CLASSIC_KINDS = {"info": "gauge", "stateset": "gauge"}
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


class Page:
    """Families in the order in which they were begun, each with its samples together."""

    def __init__(self, openmetrics: bool) -> None:
        self._openmetrics = openmetrics
        self._families: Dict[str, List[str]] = {}
        self._series: Set[str] = set()

    def add(
        self, name: str, kind: str, text: str, value: Optional[Number], labels: Labels, unit: str = ""
    ) -> None:
        """One sample. ``name`` without ``_total`` and ``_info``; an unknown value is no sample.

        A series that is there already is left out: for one that is twice a scraper refuses the whole page.
        """
        if value is None:
            return
        sample = name + _SUFFIXES.get(kind, "")
        series = sample + _labels(labels)
        if series in self._series:
            return
        self._series.add(series)
        rows = self._families.get(name)
        if rows is None:
            rows = self._families[name] = self._head(name, sample, kind, text, unit)
        rows.append(f"{series} {_number(value)}")

    def _head(self, name: str, sample: str, kind: str, text: str, unit: str) -> List[str]:
        if not self._openmetrics:
            return [f"# HELP {sample} {text}", f"# TYPE {sample} {_CLASSIC_KINDS.get(kind, kind)}"]
        head = [f"# TYPE {name} {kind}", f"# HELP {name} {text}"]
        return [head[0], f"# UNIT {name} {unit}", head[1]] if unit else head

    def text(self) -> bytes:
        """The page."""
        rows = [row for family in self._families.values() for row in family]
        if self._openmetrics:
            rows.append("# EOF")
        return ("\n".join(rows) + "\n").encode("utf-8", "replace")


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    pairs = [f'{name}="{str(value).translate(_ESCAPES)}"' for name, value in labels.items()]
    return "{" + ",".join(pairs) + "}"


def _number(value: Number) -> str:
    return repr(round(value, 9)) if isinstance(value, float) else str(value)


def wants_openmetrics(accept: str) -> bool:
    """Whether a client that says this in ``Accept`` gets OpenMetrics: unless it prefers the older format.

    A browser would store a page of that type in a file: it gets the older one, and shows it.
    """
    offers: Tuple[Dict[str, float], ...] = ({}, {})
    for part in accept.split(","):
        kind, *parameters = [word.strip().lower() for word in part.split(";")]
        quality, version = 1.0, ""
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name == "q":
                quality = _quality(value)
            elif name == "version":
                version = value.strip('"')
        modern = kind == "application/openmetrics-text" and version in ("", "1.0.0", "0.0.1")
        classic = kind in ("text/plain", "text/html", "text/*") and version in ("", "0.0.4")
        for side, mine in zip(offers, (modern, classic)):
            if mine or kind == "*/*":
                side[kind] = max(quality, side.get(kind, 0.0))
    modern_q, classic_q = (_best(side) for side in offers)
    return modern_q >= classic_q


def _quality(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0.0 <= value <= 1.0 else 0.0


def _best(side: Dict[str, float]) -> float:
    """What is said of a type itself counts before what is said of every type."""
    own = [quality for kind, quality in side.items() if kind != "*/*"]
    return max(own) if own else side.get("*/*", 0.0)
