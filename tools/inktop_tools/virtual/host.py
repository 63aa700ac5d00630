"""The firmware's core as Python objects: the virtual board, its link and its decoder.

Times are whole milliseconds that never go back. Objects are for one thread at a time.
"""

from __future__ import annotations

import ctypes
import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from inktop_tools.addresses import parse_server
from inktop_tools.errors import InktopError
from inktop_tools.virtual.library import library

_TEXT_BYTES = 65536
_LINE_BYTES = 1025
#: How a panel hangs that is as tall as it was wide: values of the setting `rotate`.
ON_ITS_SIDE = ("90", "270")


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
    #: Others by their names, as the board's console takes them.
    others: Tuple[Tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Refresh:
    """What one call of `App.refresh` came to; the kind is "nothing" when nothing was due."""

    kind: str
    why: str
    #: Rows that were driven, pixels that an update changed.
    rows: int
    flips: int
    #: Bits; 0: it worked.
    errors: int
    #: What it takes on a real panel: until then the app hears and does nothing else.
    duration_ms: int


class App:
    """The core's App on a modelled panel."""

    def __init__(self, settings: BoardSettings = BoardSettings()) -> None:  # noqa: B008 (frozen)
        """Raises InktopError when there cannot be a panel of that size."""
        self._library = library()
        # The panel as it is seen: one that hangs on its side is tall.
        self.width, self.height = settings.width, settings.height
        if dict(settings.others).get("rotate") in ON_ITS_SIDE:
            self.width, self.height = self.height, self.width
        config = self._library.structs["InktopAppConfig"](
            width=self.width,
            height=self.height,
            update_interval_ms=settings.update_interval_ms,
            wash_interval=settings.wash_interval,
            hot_spot_flips=settings.hot_spot_flips,
            health_interval_ms=settings.health_interval_ms,
            panel_seed=settings.panel_seed,
            id=settings.id.encode("ascii", "replace"),
            firmware=settings.firmware.encode("ascii", "replace"),
        )
        self._app: Optional[int] = self._library.inktop_app_new(ctypes.byref(config))
        if self._app is None:
            raise InktopError(
                f"there is no panel of {self.width}x{self.height}: it takes at least 640x400 or "
                "400x640, at most 8192x2560, and a width that is a multiple of 8. Choose another --size."
            )
        for name, value in settings.others:
            self.set(name, value)
        self._text = ctypes.create_string_buffer(_TEXT_BYTES)
        self._line = ctypes.create_string_buffer(_LINE_BYTES)
        self._refresh = self._library.structs["InktopRefresh"]()

    def __del__(self) -> None:
        if getattr(self, "_app", None):
            self._library.inktop_app_free(self._app)
            self._app = None

    @property
    def handle(self) -> Optional[int]:
        """The library's own, for a link."""
        return self._app

    def receive(self) -> None:
        """What its link has received reaches the app; not while a refresh lasts."""
        self._library.inktop_app_receive(self._app)

    def opened(self, now_ms: int) -> None:
        """A connection was made, without a link."""
        self._library.inktop_app_opened(self._app, now_ms)

    def received(self, data: bytes, now_ms: int) -> None:
        """Bytes arrived on that connection."""
        self._library.inktop_app_bytes(self._app, data, len(data), now_ms)

    def closed(self, why: int, now_ms: int) -> None:
        """That connection ended; `why` is a CloseReason."""
        self._library.inktop_app_closed(self._app, why, now_ms)

    def press_wash(self, now_ms: int) -> None:
        """The button that acknowledges an alarm or washes."""
        self._library.inktop_app_button(self._app, 0, now_ms)

    def press_status(self, now_ms: int) -> None:
        """The button of the status screen."""
        self._library.inktop_app_button(self._app, 1, now_ms)

    def press_span(self, now_ms: int) -> None:
        """The button that shows the graphs over five minutes, an hour, a day."""
        self._library.inktop_app_button(self._app, 2, now_ms)

    def set(self, name: str, value: str) -> None:
        """A setting as the board's console takes it. Raises InktopError for a wrong name or value."""
        done = self._library.inktop_app_set(self._app, name.encode(), value.encode())
        if done == -1:
            raise InktopError(f"there is no setting {name}: those of firmware/README.md can be set")
        if done == -2:
            raise InktopError(f"{name} cannot be {value}: its range is in firmware/README.md")

    def settings(self) -> Dict[str, str]:
        """The settings in force, of those that a server may set, too."""
        settings: Dict[str, str] = json.loads(self._read(self._library.inktop_app_settings))
        return settings

    def refresh(self, now_ms: int) -> Refresh:
        """Refreshes the panel when that is due."""
        done = self._refresh
        self._library.inktop_app_refresh(self._app, now_ms, ctypes.byref(done))
        return Refresh(
            self._library.refresh_kinds[done.kind],
            self._library.inktop_refresh_reason_name(done.why).decode(),
            done.rows,
            done.flips,
            done.errors,
            done.duration_ms,
        )

    def outbox(self, now_ms: int) -> bytes:
        """A line for the server, or nothing."""
        length = self._library.inktop_app_outbox(self._app, now_ms, self._line, _LINE_BYTES)
        return self._line.raw[: max(0, length)]

    def defect(self, name: str) -> None:
        """From now on this goes wrong. Raises InktopError for an unknown name."""
        if self._library.inktop_app_defect(self._app, name.encode("ascii", "replace")) != 0:
            raise InktopError(f"there is no defect {name!r}. Choose one of: {', '.join(defects())}.")

    def fail(self, drives: int, error: str, phase: int, row: int = 0) -> None:
        """After `drives` more drives one fails with `error` (its word in the health line) in `phase`."""
        self._library.inktop_app_fail(self._app, drives, self._library.draw_errors[error], phase, row)

    def frame(self) -> bytes:
        """The framebuffer: 4 bits a pixel, the low nibble is the left one."""
        at = self._library.inktop_app_frame(self._app)
        return ctypes.string_at(at, self.width * self.height // 2)

    def redraw(self, now_ms: int) -> None:
        """Draws the present state from scratch."""
        self._library.inktop_app_redraw(self._app, now_ms)

    def frame_bits(self) -> bytes:
        """The framebuffer, one bit a pixel (1 white), the left one highest."""
        bits = ctypes.create_string_buffer(self.width // 8 * self.height)
        self._library.inktop_app_frame_bits(self._app, bits)
        return bits.raw

    def panel_bits(self) -> bytes:
        """What the panel shows, the nearest of black and white; format as `frame_bits`."""
        bits = ctypes.create_string_buffer(self.width // 8 * self.height)
        self._library.inktop_app_panel_bits(self._app, bits)
        return bits.raw

    def panel_levels(self) -> bytes:
        """The panel as it looks, one byte a pixel: 0 ink … 255 paper, with ghosting."""
        levels = ctypes.create_string_buffer(self.width * self.height)
        self._library.inktop_app_panel_levels(self._app, levels)
        return levels.raw

    def state(self) -> Dict[str, Any]:
        """Facts: screen, freshness, age_s, newest_s (uptime in the newest data line, -1 none), counters, cost
        of the last refresh, dropped lines by kind."""
        state: Dict[str, Any] = json.loads(self._read(self._library.inktop_app_state))
        return state

    def elements(self) -> List[Dict[str, Any]]:
        """Name, rectangle and flips so far of each element of the picture."""
        elements: List[Dict[str, Any]] = json.loads(self._read(self._library.inktop_app_elements))
        return elements

    def _read(self, function: Any) -> bytes:
        length = function(self._app, self._text, _TEXT_BYTES)
        assert length >= 0, "65536 bytes suffice"
        return self._text.raw[:length]


@dataclass(frozen=True)
class LinkAction:
    """What the link wants done; `kind` is a name of LinkAction::Kind, `why` a number of CloseReason."""

    kind: str
    why: int
    host: str
    port: int
    address: str
    timeout_ms: int
    data: bytes


class Link:
    """The core's way to the server: what to do next; it does no I/O. What it receives goes to the app."""

    def __init__(
        self, servers: str, board: BoardSettings, app: App, key: Optional[str] = None, seed: int = 1
    ) -> None:
        """`servers`: up to four of HOST, HOST:PORT, [V6]:PORT, a blank between. Raises InktopError."""
        self._library = library()
        self._to = app
        self._key = key
        for server in servers.split() or [servers]:
            parse_server(server)  # says what is wrong, which the library cannot

        # Kept in the object: the library holds on to it.
        callback = self._library.callbacks["InktopHmac"]
        self._hmac = callback(self._sign) if key else callback()
        self._config = self._library.structs["InktopLinkConfig"](
            servers=servers.encode("ascii", "replace"),
            id=board.id.encode("ascii", "replace"),
            firmware=board.firmware.encode("ascii", "replace"),
            panel=f"{board.width}x{board.height}".encode(),
            hmac=self._hmac,
            seed=seed,
        )
        self._link: Optional[int] = self._library.inktop_link_new(ctypes.byref(self._config), app.handle)
        if self._link is None:
            raise InktopError(f"{servers!r} is no server: give up to four HOST, HOST:PORT or [IPV6]:PORT.")
        self._action = self._library.structs["InktopLinkAction"]()

    def __del__(self) -> None:
        if getattr(self, "_link", None):
            self._library.inktop_link_free(self._link)
            self._link = None

    def _sign(self, _context: Any, text: Any, length: int, out: Any) -> None:
        assert self._key is not None
        digest = hmac.new(self._key.encode(), ctypes.string_at(text, length), hashlib.sha256).hexdigest()
        ctypes.memmove(out, digest.encode() + b"\0", 65)

    @property
    def phase(self) -> str:
        """In a word: searching, greeting, connected …"""
        return str(self._library.inktop_link_phase(self._link).decode())

    @property
    def denied(self) -> bool:
        """The server ends each connection right after the hello: key or allow list."""
        return bool(self._library.inktop_link_denied(self._link))

    @property
    def unproven(self) -> bool:
        """A server did not prove that it has the key, and none has since."""
        return bool(self._library.inktop_link_unproven(self._link))

    def seal(self, line: bytes) -> bytes:
        """A line for the server as it goes out: sealed, where a key is set."""
        out = ctypes.create_string_buffer(_LINE_BYTES)
        size = self._library.inktop_link_seal(self._link, line, len(line), out, _LINE_BYTES)
        return out.raw[:size]

    def next(self, now_ms: int) -> LinkAction:
        """What to do now; ask again until it is `none`. Tells the app how the link is."""
        action = self._action
        self._library.inktop_link_next(self._link, now_ms, ctypes.byref(action))
        return LinkAction(
            self._library.link_actions[action.kind],
            action.why,
            action.host.decode("ascii", "replace"),
            action.port,
            action.address.decode("ascii", "replace"),
            action.timeout_ms,
            ctypes.string_at(ctypes.addressof(action) + type(action).bytes.offset, action.size),
        )

    def resolved(self, address: Optional[str], now_ms: int) -> None:
        """The look-up ended, with an address or without."""
        self._library.inktop_link_resolved(
            self._link, 0 if address is None else 1, (address or "").encode("ascii", "replace"), now_ms
        )

    def connected(self, now_ms: int) -> None:
        """The connection was made."""
        self._library.inktop_link_connected(self._link, now_ms)

    def connect_failed(self, now_ms: int) -> None:
        """The connection could not be made."""
        self._library.inktop_link_connect_failed(self._link, now_ms)

    def received(self, data: bytes, now_ms: int) -> None:
        """Bytes arrived."""
        self._library.inktop_link_received(self._link, data, len(data), now_ms)

    def closed(self, why: int, now_ms: int) -> None:
        """The connection was closed, as the link wanted; `why` is a CloseReason."""
        self._library.inktop_link_closed(self._link, why, now_ms)

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
            if length == self._library.constants["kNothing"]:
                return found
            if length == self._library.constants["kDropped"]:
                found.append(f'{{"error":"{self._line.value.decode()}"}}')
            else:
                size = self._library.inktop_decode(self._line.raw[:length], length, self._json, _TEXT_BYTES)
                found.append(self._json.raw[:size].decode())
            if once:
                return found
