"""Owns the way from Python to the firmware's core: the virtual board and its link, through the host library.

Times are whole milliseconds that never go back. Objects are for one thread at a time.
"""

from __future__ import annotations

import ctypes
import hashlib
import hmac
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

from inktop_tools.errors import InktopError

ROOT = Path(__file__).resolve().parents[3]
#: Overrides where the library is, for tests and sanitizers.
LIBRARY_VARIABLE = "INKTOP_HOST_LIB"

#: RefreshKind.
NOTHING, CLEAR_AND_WASH, WASH, UPDATE = range(4)
#: Bits of DrawError.
DRAW_LINE_QUEUE = 1 << 4
DRAW_POWER = 1 << 5
#: CloseReason.
CLOSE_NONE, CLOSE_BY_PEER, CLOSE_SILENT, CLOSE_NO_GREETING, CLOSE_FAILED = range(5)
#: LinkAction::Kind.
ACTIONS = ("none", "join", "resolve", "connect", "close", "send", "query_mdns", "remember")

_TEXT_BYTES = 65536
_LINE_BYTES = 1025
_Hmac = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t, ctypes.POINTER(ctypes.c_char)
)


class _BoardConfig(ctypes.Structure):
    _fields_ = [
        ("width", ctypes.c_int32),
        ("height", ctypes.c_int32),
        ("update_interval_ms", ctypes.c_int32),
        ("wash_interval", ctypes.c_int32),
        ("hot_spot_flips", ctypes.c_int32),
        ("health_interval_ms", ctypes.c_int32),
        ("panel_seed", ctypes.c_uint32),
        ("id", ctypes.c_char_p),
        ("firmware", ctypes.c_char_p),
    ]


class _LinkConfig(ctypes.Structure):
    _fields_ = [
        ("servers", ctypes.c_char_p),
        ("id", ctypes.c_char_p),
        ("firmware", ctypes.c_char_p),
        ("panel", ctypes.c_char_p),
        ("hmac", _Hmac),
        ("seed", ctypes.c_uint32),
    ]


class _LinkAction(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_int32),
        ("why", ctypes.c_int32),
        ("port", ctypes.c_int32),
        ("timeout_ms", ctypes.c_int32),
        ("size", ctypes.c_int32),
        ("host", ctypes.c_char * 64),
        ("address", ctypes.c_char * 46),
        ("bytes", ctypes.c_char * _LINE_BYTES),
    ]


_P, _I, _L, _S = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_char_p
#: name -> (result, arguments): firmware/host/inktop_host.h and decode_api.h.
_FUNCTIONS: Dict[str, Tuple[Any, Sequence[Any]]] = {
    "inktop_board_new": (_P, [ctypes.POINTER(_BoardConfig)]),
    "inktop_board_free": (None, [_P]),
    "inktop_board_opened": (None, [_P, _L]),
    "inktop_board_bytes": (None, [_P, _S, _I, _L]),
    "inktop_board_closed": (None, [_P, _I, _L]),
    "inktop_board_status": (None, [_P, _P, _L]),
    "inktop_board_button": (None, [_P, _I, _L]),
    "inktop_board_tick": (_I, [_P, _L, ctypes.POINTER(_I)]),
    "inktop_board_carry_out": (_I, [_P]),
    "inktop_board_duration_ms": (_I, [_P]),
    "inktop_board_refreshed": (None, [_P, _I, _L, _L]),
    "inktop_board_outbox": (_I, [_P, _L, _S, _I]),
    "inktop_board_defect": (_I, [_P, _S]),
    "inktop_defect_name": (_S, [_I]),
    "inktop_defect_summary": (_S, [_I]),
    "inktop_board_fail": (None, [_P, _I, _I, _I, _I]),
    "inktop_board_frame": (_P, [_P]),
    "inktop_board_redraw": (None, [_P, _L]),
    "inktop_board_frame_bits": (None, [_P, _S]),
    "inktop_board_panel_bits": (None, [_P, _S]),
    "inktop_board_panel_levels": (None, [_P, _S]),
    "inktop_board_state": (_I, [_P, _S, _I]),
    "inktop_board_elements": (_I, [_P, _S, _I]),
    "inktop_board_last_line": (_S, [_P]),
    "inktop_refresh_kind_name": (_S, [_I]),
    "inktop_refresh_reason_name": (_S, [_I]),
    "inktop_close_reason_name": (_S, [_I]),
    "inktop_link_new": (_P, [ctypes.POINTER(_LinkConfig)]),
    "inktop_link_free": (None, [_P]),
    "inktop_link_next": (None, [_P, _L, ctypes.POINTER(_LinkAction)]),
    "inktop_link_resolved": (None, [_P, _I, _S, _L]),
    "inktop_link_connected": (None, [_P, _L]),
    "inktop_link_connect_failed": (None, [_P, _L]),
    "inktop_link_received": (None, [_P, _S, _I, _L]),
    "inktop_link_closed_by_peer": (None, [_P, _L]),
    "inktop_link_send_failed": (None, [_P, _L]),
    "inktop_link_datagram": (None, [_P, _S, _I, _L]),
    "inktop_link_phase": (_S, [_P]),
    "inktop_link_denied": (_I, [_P]),
    "inktop_decode": (_I, [_S, _I, _S, _I]),
    "inktop_framer_new": (_P, []),
    "inktop_framer_free": (None, [_P]),
    "inktop_framer_feed": (None, [_P, _S, _I]),
    "inktop_framer_next": (_I, [_P, _S, _I]),
    "inktop_framer_closed": (_I, [_P, _S, _I]),
}


def library_path() -> Path:
    """Where the host library is, or should be."""
    named = os.environ.get(LIBRARY_VARIABLE)
    return Path(named) if named else ROOT / "build" / "native" / "libinktop_host.so"


_loaded: Dict[Path, Any] = {}


def library() -> Any:
    """The library, loaded once and its functions typed. Raises InktopError when it is missing or too old."""
    path = library_path()
    if path not in _loaded:
        if not path.exists():
            raise InktopError(
                f"the core has not been built for this machine: {path} is missing. Run `make build`."
            )
        try:
            loaded = ctypes.CDLL(str(path))
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(loaded, name)
                function.restype = result
                function.argtypes = list(arguments)
        except (OSError, AttributeError) as error:
            raise InktopError(
                f"{path} does not fit this checkout ({error}). Run `make build` again."
            ) from error
        _loaded[path] = loaded
    return _loaded[path]


def defects() -> Dict[str, str]:
    """What can go wrong between picture and panel: name -> one line."""
    found: Dict[str, str] = {}
    number = 0
    while True:
        name = library().inktop_defect_name(number)
        if name is None:
            return {name: text for name, text in found.items() if name != "none"}
        found[name.decode()] = library().inktop_defect_summary(number).decode()
        number += 1


@dataclass(frozen=True)
class BoardSettings:
    """What a virtual board is; the defaults are the reference board's."""

    width: int = 1920
    height: int = 1080
    update_interval_ms: int = 2000
    wash_interval: int = 1800
    hot_spot_flips: int = 300
    health_interval_ms: int = 30_000
    panel_seed: int = 1
    id: str = "virtual"
    firmware: str = "host"


@dataclass(frozen=True)
class Decision:
    """What a tick decided: a RefreshKind with its name, and the reason."""

    kind: int
    name: str
    why: str


class Board:
    """The core's App on a modelled panel."""

    def __init__(self, settings: BoardSettings = BoardSettings()) -> None:  # noqa: B008 (frozen)
        """Raises InktopError when there cannot be a panel of that size."""
        self._library = library()
        self.width, self.height = settings.width, settings.height
        config = _BoardConfig(
            width=settings.width,
            height=settings.height,
            update_interval_ms=settings.update_interval_ms,
            wash_interval=settings.wash_interval,
            hot_spot_flips=settings.hot_spot_flips,
            health_interval_ms=settings.health_interval_ms,
            panel_seed=settings.panel_seed,
            id=settings.id.encode("ascii", "replace"),
            firmware=settings.firmware.encode("ascii", "replace"),
        )
        self._board: Optional[int] = self._library.inktop_board_new(ctypes.byref(config))
        if self._board is None:
            raise InktopError(
                f"there is no panel of {settings.width}x{settings.height}: the width must be a multiple of 8 "
                "(8 to 8192), the height 8 to 2560. Choose another --size."
            )
        self._text = ctypes.create_string_buffer(_TEXT_BYTES)
        self._line = ctypes.create_string_buffer(_LINE_BYTES)

    def __del__(self) -> None:
        if getattr(self, "_board", None):
            self._library.inktop_board_free(self._board)
            self._board = None

    def opened(self, now_ms: int) -> None:
        """A connection was made."""
        self._library.inktop_board_opened(self._board, now_ms)

    def received(self, data: bytes, now_ms: int) -> None:
        """Bytes arrived on the connection."""
        self._library.inktop_board_bytes(self._board, data, len(data), now_ms)

    def closed(self, why: int, now_ms: int) -> None:
        """The connection ended; `why` is a CloseReason."""
        self._library.inktop_board_closed(self._board, why, now_ms)

    def link_status(self, link: Link, now_ms: int) -> None:
        """Tells the app how the link stands."""
        self._library.inktop_board_status(self._board, link.handle, now_ms)

    def press_wash(self, now_ms: int) -> None:
        """The button that acknowledges an alarm or washes."""
        self._library.inktop_board_button(self._board, 0, now_ms)

    def press_status(self, now_ms: int) -> None:
        """The button of the status screen."""
        self._library.inktop_board_button(self._board, 1, now_ms)

    def tick(self, now_ms: int) -> Decision:
        """Decides what to do with the panel; when it is a refresh, the picture is drawn."""
        why = ctypes.c_int32()
        kind = self._library.inktop_board_tick(self._board, now_ms, ctypes.byref(why))
        return Decision(
            kind,
            self._library.inktop_refresh_kind_name(kind).decode(),
            self._library.inktop_refresh_reason_name(why.value).decode(),
        )

    def carry_out(self) -> int:
        """Drives the panel as decided; returns the errors (bits), 0: it worked."""
        return int(self._library.inktop_board_carry_out(self._board))

    def duration_ms(self) -> int:
        """What the refresh that was decided takes on the real panel."""
        return int(self._library.inktop_board_duration_ms(self._board))

    def refreshed(self, errors: int, started_ms: int, now_ms: int) -> None:
        """Tells the app what the panel answered."""
        self._library.inktop_board_refreshed(self._board, errors, started_ms, now_ms)

    def outbox(self, now_ms: int) -> bytes:
        """A line for the server, or nothing."""
        length = self._library.inktop_board_outbox(self._board, now_ms, self._line, _LINE_BYTES)
        return self._line.raw[: max(0, length)]

    def defect(self, name: str) -> None:
        """From now on this goes wrong. Raises InktopError for an unknown name."""
        if self._library.inktop_board_defect(self._board, name.encode("ascii", "replace")) != 0:
            raise InktopError(f"there is no defect {name!r}. Choose one of: {', '.join(defects())}.")

    def fail(self, drives: int, errors: int, phase: int, row: int = 0) -> None:
        """After `drives` more drives one fails, in its `phase` at `row`."""
        self._library.inktop_board_fail(self._board, drives, errors, phase, row)

    def frame(self) -> bytes:
        """The framebuffer: 4 bits a pixel, the low nibble is the left one."""
        at = self._library.inktop_board_frame(self._board)
        return ctypes.string_at(at, self.width * self.height // 2)

    def redraw(self, now_ms: int) -> None:
        """Draws the present state from scratch."""
        self._library.inktop_board_redraw(self._board, now_ms)

    def frame_bits(self) -> bytes:
        """The framebuffer, one bit a pixel (1 white), the left one highest."""
        bits = ctypes.create_string_buffer(self.width // 8 * self.height)
        self._library.inktop_board_frame_bits(self._board, bits)
        return bits.raw

    def panel_bits(self) -> bytes:
        """What the panel shows, the nearest of black and white; format as `frame_bits`."""
        bits = ctypes.create_string_buffer(self.width // 8 * self.height)
        self._library.inktop_board_panel_bits(self._board, bits)
        return bits.raw

    def panel_levels(self) -> bytes:
        """The panel as it looks, one byte a pixel: 0 ink … 255 paper, with ghosting."""
        levels = ctypes.create_string_buffer(self.width * self.height)
        self._library.inktop_board_panel_levels(self._board, levels)
        return levels.raw

    def state(self) -> Dict[str, Any]:
        """Facts: screen, freshness, age_s, counters, cost of the last refresh, dropped lines by kind."""
        state: Dict[str, Any] = json.loads(self._read(self._library.inktop_board_state))
        return state

    def elements(self) -> List[Dict[str, Any]]:
        """Name, rectangle and flips so far of each element of the picture."""
        elements: List[Dict[str, Any]] = json.loads(self._read(self._library.inktop_board_elements))
        return elements

    def last_line(self) -> str:
        """The newest whole line."""
        return str(self._library.inktop_board_last_line(self._board).decode("ascii", "replace"))

    def _read(self, function: Any) -> bytes:
        length = function(self._board, self._text, _TEXT_BYTES)
        assert length >= 0, "65536 bytes suffice"
        return self._text.raw[:length]


@dataclass(frozen=True)
class LinkAction:
    """What the link wants done; `kind` is one of ACTIONS."""

    kind: str
    why: int
    host: str
    port: int
    address: str
    timeout_ms: int
    data: bytes


class Link:
    """The core's way to the server: what to do next; it does no I/O."""

    def __init__(self, servers: str, board: BoardSettings, key: Optional[str] = None, seed: int = 1) -> None:
        """`servers`: up to four of HOST, HOST:PORT, [V6]:PORT, a blank between. Raises InktopError."""
        self._library = library()
        self._key = key

        # Kept in the object: the library holds on to it.
        self._hmac = _Hmac(self._sign) if key else _Hmac()
        self._config = _LinkConfig(
            servers=servers.encode("ascii", "replace"),
            id=board.id.encode("ascii", "replace"),
            firmware=board.firmware.encode("ascii", "replace"),
            panel=f"{board.width}x{board.height}".encode(),
            hmac=self._hmac,
            seed=seed,
        )
        self._link: Optional[int] = self._library.inktop_link_new(ctypes.byref(self._config))
        if self._link is None:
            raise InktopError(f"{servers!r} is no server: give HOST, HOST:PORT or [IPV6]:PORT.")
        self._action = _LinkAction()

    def __del__(self) -> None:
        if getattr(self, "_link", None):
            self._library.inktop_link_free(self._link)
            self._link = None

    def _sign(self, _context: Any, text: Any, length: int, out: Any) -> None:
        assert self._key is not None
        digest = hmac.new(self._key.encode(), ctypes.string_at(text, length), hashlib.sha256).hexdigest()
        ctypes.memmove(out, digest.encode() + b"\0", 65)

    @property
    def handle(self) -> Optional[int]:
        """The library's own, for Board.link_status."""
        return self._link

    @property
    def phase(self) -> str:
        """In a word: searching, greeting, connected …"""
        return str(self._library.inktop_link_phase(self._link).decode())

    @property
    def denied(self) -> bool:
        """The server ends each connection right after the hello: key or allow list."""
        return bool(self._library.inktop_link_denied(self._link))

    def next(self, now_ms: int) -> LinkAction:
        """What to do now; ask again until it is `none`."""
        action = self._action
        self._library.inktop_link_next(self._link, now_ms, ctypes.byref(action))
        return LinkAction(
            ACTIONS[action.kind],
            action.why,
            action.host.decode("ascii", "replace"),
            action.port,
            action.address.decode("ascii", "replace"),
            action.timeout_ms,
            ctypes.string_at(ctypes.addressof(action) + _LinkAction.bytes.offset, action.size),
        )

    def resolved(self, address: Optional[str], now_ms: int) -> None:
        """The look-up ended, with an address or without."""
        self._library.inktop_link_resolved(
            self._link, 0 if address is None else 1, (address or "").encode("ascii", "replace"), now_ms
        )

    def connected(self, now_ms: int) -> None:
        """The connection stands."""
        self._library.inktop_link_connected(self._link, now_ms)

    def connect_failed(self, now_ms: int) -> None:
        """The connection could not be made."""
        self._library.inktop_link_connect_failed(self._link, now_ms)

    def received(self, data: bytes, now_ms: int) -> None:
        """Bytes arrived; the same go to the board."""
        self._library.inktop_link_received(self._link, data, len(data), now_ms)

    def closed_by_peer(self, now_ms: int) -> None:
        """The server ended the connection."""
        self._library.inktop_link_closed_by_peer(self._link, now_ms)

    def send_failed(self, now_ms: int) -> None:
        """Bytes could not be sent."""
        self._library.inktop_link_send_failed(self._link, now_ms)


class CoreDecoder:
    """The board's own framer and parser, as `inktop decode --core` uses them."""

    def __init__(self) -> None:
        self._library = library()
        self._framer: Optional[int] = self._library.inktop_framer_new()
        self._line = ctypes.create_string_buffer(2 * _LINE_BYTES)
        self._json = ctypes.create_string_buffer(_TEXT_BYTES)

    def __del__(self) -> None:
        if getattr(self, "_framer", None):
            self._library.inktop_framer_free(self._framer)
            self._framer = None

    def feed(self, data: bytes) -> List[str]:
        """One JSON object for each line that ended or was dropped."""
        self._library.inktop_framer_feed(self._framer, data, len(data))
        return self._take(self._library.inktop_framer_next)

    def closed(self) -> List[str]:
        """The input has ended: the object of a cut line, if it was in the middle of one."""
        return self._take(self._library.inktop_framer_closed, once=True)

    def _take(self, function: Any, once: bool = False) -> List[str]:
        found: List[str] = []
        while True:
            length = function(self._framer, self._line, len(self._line))
            if length == -1:
                return found
            if length == -2:
                found.append(f'{{"error":"{self._line.value.decode()}"}}')
            else:
                size = self._library.inktop_decode(self._line.raw[:length], length, self._json, _TEXT_BYTES)
                found.append(self._json.raw[:size].decode())
            if once:
                return found
