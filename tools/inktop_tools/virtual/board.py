"""`inktop board`, and what it shares with `inktop demo`: a virtual board, its picture, page and progress."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Sequence, Union

from inktop_tools import arguments, pictures
from inktop_tools.errors import InktopError
from inktop_tools.keys import read_key
from inktop_tools.virtual import host
from inktop_tools.virtual.live import DEFAULT_PORT, LOOPBACK, LivePage
from inktop_tools.virtual.render import parse_size
from inktop_tools.virtual.virtual_board import Clock, SimulatedClock, VirtualBoard
from inktop_tools.virtual.wishes import BUTTON, SETTINGS

#: At a high speed the picture is not written more often than this, on the wall.
_PICTURE_S = 0.25
_STATE_S = 0.25
#: A progress line also when nothing was refreshed.
_STILL_MS = 10_000


class Show:
    """Runs a virtual board until its time is over; writes its picture, serves its page, says what it does."""

    def __init__(
        self,
        servers: Union[str, Sequence[str]],
        settings: host.BoardSettings,
        clock: Clock,
        out: Path,
        key: Optional[str] = None,
        page: Optional[LivePage] = None,
        say: Callable[[str], None] = print,
    ) -> None:
        """`out` is the folder of board.png. Raises InktopError, also when nothing can be written there."""
        self._clock = clock
        self._picture = out / "board.png"
        pictures.check(self._picture)
        self._page = page
        self._say = say
        self._picture_due = False
        self._picture_at_s = -_PICTURE_S
        self._state_at_s = -_STATE_S
        self._said_ms = clock.now_ms()
        self._phase = ""
        self._trouble = ""
        self.board = VirtualBoard(servers, settings, clock, key, self._refreshed, self._begins)

    def run(
        self,
        seconds: Optional[float],
        also: Optional[Callable[[], None]] = None,
        finished: Callable[[], bool] = lambda: False,
    ) -> None:
        """Runs for that long on the wall, or until it is finished; `also` is called in each turn."""
        end_s = None if seconds is None else time.monotonic() + seconds
        try:
            while (end_s is None or time.monotonic() < end_s) and not finished():
                if also is not None:
                    also()
                self.turn()
        finally:
            self.board.close()
            self._write_picture()
            self._update_page()

    def turn(self) -> None:
        """One turn of the board and of everything around it."""
        self.board.step()
        self._grant_wishes()
        now_s = time.monotonic()
        if self._picture_due and now_s - self._picture_at_s >= _PICTURE_S:
            self._picture_at_s = now_s
            self._write_picture()
        if now_s - self._state_at_s >= _STATE_S:
            self._state_at_s = now_s
            self._update_page()
        if (self.link(), self.board.trouble) != (self._phase, self._trouble):
            self._phase, self._trouble = self.link(), self.board.trouble
            self._progress(self._trouble)
        elif self._clock.now_ms() - self._said_ms >= _STILL_MS:
            self._progress(self._trouble or "nothing to show")

    def _grant_wishes(self) -> None:
        """Sets what a person has set on the page."""
        for wish in self._page.wishes.taken() if self._page is not None else ():
            if wish.name == BUTTON:
                self.board.next_server()
                wish.answer()
                self._progress("the next server, pressed on the page")
                continue
            try:
                self.board.set(wish.name, wish.value)
            except InktopError as error:
                wish.answer(str(error))
                continue
            wish.answer()
            self._state_at_s = -_STATE_S  # the page shows it at once
            self._progress(f"{wish.name} set to {wish.value} on the page")

    def link(self) -> str:
        """What the link does, in a word or two; with several how many of them are connected."""
        if len(self.board.wires) > 1:
            up = sum(wire.link.phase == "connected" for wire in self.board.wires)
            return f"{up} of {len(self.board.wires)} up"
        return self.board.wires[0].state

    def _begins(self, refresh: host.Refresh) -> None:
        if self._page is not None:
            wall_ms = int(self._clock.real_s(refresh.duration_ms) * 1000)
            self._page.refresh(refresh.kind, refresh.why, wall_ms)

    def _refreshed(self, refresh: host.Refresh) -> None:
        self._picture_due = True
        self._progress(
            f"{refresh.kind.replace('_', ' ')} ({refresh.why.replace('_', ' ')}), {refresh.rows} rows, "
            + (f"{refresh.flips} pixels, " if refresh.kind == "update" else "")
            + f"{refresh.duration_ms} ms"
        )

    def _progress(self, what: str) -> None:
        self._said_ms = self._clock.now_ms()
        age_ms = self.board.age_ms()
        age = "no line yet" if age_ms is None else f"line {age_ms / 1000:.1f} s old"
        seconds = self._said_ms // 1000
        self._say(f"{seconds // 60:02d}:{seconds % 60:02d}  {self.link():<10} {age:<17} {what}".rstrip())

    def _write_picture(self) -> None:
        if not self._picture_due:
            return
        self._picture_due = False
        pictures.write_bits(self._picture, self.board.app.panel_bits(), self.board.size)
        if self._page is not None:
            self._page.picture(self.board.app.panel_levels(), self.board.size)

    def _servers(self, state: Dict[str, Any]) -> List[Dict[str, object]]:
        """Each server of several: its name, its link, how old its data is, its alarms, where it is shown."""
        board = self.board
        if len(board.wires) == 1:
            return []
        shown = {server["place"]: server for server in state["servers"]}
        rows: List[Dict[str, object]] = []
        for place, (address, wire) in enumerate(zip(board.servers, board.wires)):
            server = shown.get(place)
            age_ms = board.age_ms(wire)
            if place == state["shown"]:
                where = "large, for its alarm" if state["forward"] else "large"
            elif server is None:
                where = "not shown: the same machine as another"
            else:
                where = "in the grid" if state["shown"] < 0 else ""
            rows.append(
                {
                    "name": server["name"] if server else address,
                    "address": address,
                    "link": wire.state,
                    "why": wire.trouble,
                    "age_s": None if age_ms is None else age_ms // 1000,
                    "alarms": server["alarms"] if server else None,
                    "shown": where,
                }
            )
        return rows

    def _update_page(self) -> None:
        if self._page is None:
            return
        board = self.board
        state = board.app.state()
        age_ms = board.age_ms()
        refreshes: List[Dict[str, object]] = [
            {
                "at": f"{at_ms // 60000:02d}:{at_ms // 1000 % 60:02d}",
                "kind": refresh.kind.replace("_", " "),
                "why": refresh.why.replace("_", " "),
                "rows": refresh.rows,
                "flips": refresh.flips if refresh.kind == "update" else None,
                "ms": refresh.duration_ms,
            }
            for at_ms, refresh in board.refreshes
        ]
        self._page.update(
            {
                "link": self.link(),
                "connected": all(wire.link.phase == "connected" for wire in board.wires),
                "age_s": None if age_ms is None else age_ms // 1000,
                "line": board.last_line or None,
                "updates": state["updates"],
                "washes": state["washes"],
                "flips": refreshes[0]["flips"] if refreshes else None,
                "bad_lines": sum(state["bad_lines"].values()),
                "refreshes": refreshes,
                "servers": self._servers(state),
                "settings": {name: value for name, value in board.app.settings().items() if name in SETTINGS},
            }
        )


def open_page(
    port: Optional[int], bind: Optional[str] = None, say: Callable[[str], None] = print
) -> Optional[LivePage]:
    """The live page where it was asked for, or at the usual place: when that is taken, it goes on without."""
    try:
        page = LivePage(DEFAULT_PORT if port is None else port, bind or LOOPBACK)
    except InktopError as error:
        if port is not None or bind is not None:
            raise
        say(f"no live page: {error}")
        return None
    say(f"live page: {page.url}")
    return page


def say_now(text: str) -> None:
    """Prints at once, also into a pipe."""
    print(text, flush=True)


def add_bind_argument(parser: argparse.ArgumentParser) -> None:
    """Where the live page listens."""
    parser.add_argument(
        "--http-bind",
        metavar="ADDRESS",
        help="serve the live page on that IPv4 address of this machine (0.0.0.0: all), behind a token",
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--connect",
        metavar="HOST:PORT",
        action="append",
        required=True,
        help="the collector (port 7910); given several times: all of these servers on one board",
    )
    parser.add_argument("--out", type=Path, default=Path("build"), help="folder for board.png (build)")
    parser.add_argument("--seconds", type=arguments.seconds, help="end after that long")
    parser.add_argument(
        "--http", type=arguments.port, metavar="PORT", help="serve the live page on the loopback"
    )
    add_bind_argument(parser)
    parser.add_argument("--key-file", type=Path, help="the stream's key, when the collector has one")
    parser.add_argument("--id", type=arguments.board_id, default="virtual", help="the board's name (virtual)")
    parser.add_argument("--size", default="1920x1080", help="WIDTHxHEIGHT of the panel, pixels")
    arguments.add_settings(parser)


def run(args: argparse.Namespace) -> int:
    """Connects, reconnects and shows until the time is over or Ctrl-C; status 0 when a line came, else 1."""
    width, height = parse_size(args.size)
    settings = host.BoardSettings(
        width=width, height=height, id=args.id, others=tuple(map(arguments.setting, args.set))
    )
    key = read_key(args.key_file)
    page = (
        open_page(args.http, args.http_bind, say_now)
        if args.http is not None or args.http_bind is not None
        else None
    )
    show: Optional[Show] = None
    try:
        show = Show(args.connect, settings, SimulatedClock(), args.out, key, page, say_now)
        show.run(args.seconds)
    except KeyboardInterrupt:
        print(file=sys.stderr)
    finally:
        if page is not None:
            page.close()
    if show is not None and show.board.line_ms is None:
        raise InktopError(f"no line came. {show.board.trouble or 'On the server: inktop-collector doctor'}")
    return 0
