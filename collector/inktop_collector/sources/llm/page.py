"""A page of metrics: fetched within bounds, and read (Prometheus' text format, OpenMetrics)."""

from __future__ import annotations

import http.client
import time
from typing import Dict, List, Tuple
from urllib.parse import SplitResult

#: A page that takes longer, or is larger, is given up.
DEADLINE_S = 3.0
MAX_PAGE_BYTES = 4 << 20
PART_BYTES = 1 << 16
#: Series that differ in these labels are different servers; those that differ in others (a rank of tensor
#: parallelism, a priority) say the same once more, or parts of it.
PARTS = ("model_name=", "engine=", "dp_rank=")


class PageError(Exception):
    """There is no page to read; the text says why."""


def fetch(url: SplitResult) -> str:
    """The page. Raises PageError. Follows nothing, waits for nobody longer than a few seconds."""
    end = time.monotonic() + DEADLINE_S
    connection = http.client.HTTPConnection(url.hostname or "", url.port or 80, timeout=DEADLINE_S)
    try:
        connection.request("GET", f"{url.path or '/'}{'?' + url.query if url.query else ''}")
        response = connection.getresponse()
        kind = response.getheader("Content-Type", "")
        if response.status != 200:
            raise PageError(f"it answers {response.status} {response.reason}")
        if not kind.startswith(("text/plain", "application/openmetrics-text")):
            raise PageError(f"it is {kind or 'of no type'}, not metrics: is the path right?")
        parts: List[bytes] = []
        size = 0
        while time.monotonic() < end:
            part = response.read1(PART_BYTES)
            if not part:
                return b"".join(parts).decode("utf-8", "replace")
            parts.append(part)
            size += len(part)
            if size > MAX_PAGE_BYTES:
                raise PageError(f"it is larger than {MAX_PAGE_BYTES >> 20} MiB")
        raise PageError(f"it takes longer than {DEADLINE_S:.0f} s")
    except (OSError, http.client.HTTPException) as problem:
        raise PageError(str(problem) or type(problem).__name__) from None
    finally:
        connection.close()


def parse_page(text: str, wanted: Tuple[str, ...]) -> Dict[str, List[float]]:
    """The wanted metrics by name, a value for each part of the server."""
    parts: Dict[str, Dict[str, float]] = {}
    for line in text.splitlines():
        if not line.startswith(wanted):
            continue
        series, brace, rest = line.rpartition("}")
        name, _, labels = series.partition("{") if brace else (line.split(" ")[0], "", "")
        words = (rest if brace else line[len(name) :]).split()
        try:
            value = float(words[0])
        except (IndexError, ValueError):
            continue
        if name in wanted and abs(value) < 1e15:  # neither NaN nor infinite
            part = ",".join(sorted(label for label in labels.split(",") if label.startswith(PARTS)))
            of_name = parts.setdefault(name, {})
            of_name[part] = max(value, of_name.get(part, value))
    return {name: list(values.values()) for name, values in parts.items()}
