"""Asks a Prometheus or VictoriaMetrics: bounded in time and size, and whatever goes wrong has a word."""

from __future__ import annotations

import base64
import http.client
import json
import math
import time
from typing import Any, Dict, List, Optional, Tuple
from urllib.parse import SplitResult, urlencode, urlsplit

#: A whole set of questions takes no longer; one answer is no larger.
SET_WITHIN_S = 10.0
ANSWER_WITHIN_S = 5.0
MAX_ANSWER_BYTES = 8 << 20
PART_BYTES = 1 << 16

Series = Tuple[Dict[str, str], float]


class EngineError(Exception):
    """No answer to use: ``word`` is that of the fleet line (protocol, section 16), the text says why."""

    def __init__(self, word: str, text: str) -> None:
        super().__init__(text)
        self.word = word


class Engine:
    """One connection, kept open from question to question."""

    def __init__(self, url: str, token: str = "", login: str = "") -> None:
        """``token`` is a bearer token, ``login`` is ``user:password``."""
        self._url: SplitResult = urlsplit(url)
        self._headers = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "application/json"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        elif login:
            self._headers["Authorization"] = "Basic " + base64.b64encode(login.encode("utf-8")).decode(
                "ascii"
            )
        self._connection: Optional[http.client.HTTPConnection] = None
        self._end = 0.0

    def begin(self) -> None:
        """A set of questions begins."""
        self._end = time.monotonic() + SET_WITHIN_S

    def ask(self, question: str) -> List[Series]:
        """The series of an instant vector, or the one value of a scalar; no NaN. Raises EngineError."""
        fresh = self._connection is None
        try:
            return _series(self._post(question))
        except EngineError as problem:
            self.close()
            if fresh or problem.word != "down":
                raise
            # What was kept open may have been closed on the other side.
            try:
                return _series(self._post(question))
            except EngineError:
                self.close()
                raise

    def _post(self, question: str) -> bytes:
        left = min(ANSWER_WITHIN_S, self._end - time.monotonic())
        if left <= 0:
            raise EngineError("slow", f"its answers take longer than {SET_WITHIN_S:g} s together")
        end = time.monotonic() + left
        try:
            connection = self._connection or self._connect()
            connection.timeout = left
            if connection.sock is not None:
                connection.sock.settimeout(left)
            path = self._url.path.rstrip("/") + "/api/v1/query"
            connection.request("POST", path, urlencode({"query": question}), self._headers)
            answer = connection.getresponse()
            body = _read(answer, end)
        except TimeoutError:
            raise EngineError("slow", f"no answer within {left:.0f} s") from None
        except (OSError, http.client.HTTPException, ValueError) as problem:
            raise EngineError("down", str(problem) or type(problem).__name__) from None
        if answer.status != 200:
            raise EngineError("refused", _refusal(answer.status, body))
        return body

    def _connect(self) -> http.client.HTTPConnection:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(self._url.hostname or "", self._url.port, timeout=ANSWER_WITHIN_S)
        return self._connection

    def close(self) -> None:
        """Ends the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _read(answer: http.client.HTTPResponse, end: float) -> bytes:
    parts: List[bytes] = []
    size = 0
    while True:
        if time.monotonic() > end:
            raise EngineError("slow", "an answer comes too slowly")
        part = answer.read1(PART_BYTES)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
        if size > MAX_ANSWER_BYTES:
            raise EngineError("wrong", f"an answer is larger than {MAX_ANSWER_BYTES >> 20} MiB")


def _refusal(status: int, body: bytes) -> str:
    why = ""
    try:
        said = json.loads(body[:4096])
        why = str(said.get("error", "")) if isinstance(said, dict) else ""
    except (ValueError, RecursionError):
        pass
    return f"it answers {status}" + (f": {why[:200]}" if why else "")


def _series(body: bytes) -> List[Series]:
    try:
        said = json.loads(body)
        data = said["data"]
        result = data["result"]
        if data["resultType"] == "scalar":
            return _numbers([({}, result[1])])
        if said["status"] != "success" or data["resultType"] != "vector":
            raise EngineError("wrong", "an answer is no instant vector")
        return _numbers([(one["metric"], one["value"][1]) for one in result])
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise EngineError("wrong", "an answer is not that of a Prometheus: is the address right?") from None


def _numbers(rows: List[Tuple[Any, Any]]) -> List[Series]:
    found: List[Series] = []
    for labels, text in rows:
        value = float(text)
        if math.isfinite(value):
            found.append(({str(name): str(label) for name, label in labels.items()}, value))
    return found
