"""The relay's loop: one thread asks the engine, one serves a port for the fleet and one for each machine."""

from __future__ import annotations

import os
import select
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, AbstractSet, Callable, Dict, List, Optional, Set, Tuple

from inktop_protocol.encode import encode_fleet, encode_snapshot
from inktop_protocol.model import Event, Fleet, InfoLine, UpOf

from .. import __version__
from ..announce import Announcer
from ..clock import clock
from ..config import Config
from ..interfaces import broadcast_targets
from ..log import Log, LogLimit, log_to_stderr
from ..notify import Notifier
from ..server.connection import Connection
from ..server.listener import ListenError
from ..server.port import Port
from ..state import read_rows, replace_file
from ..status import StatusFile
from ..wake import ACKNOWLEDGE, READY, STOP, Wake
from .engine import Engine, EngineError
from .fleet import FleetPage
from .machines import Found, RelayedMachine, ask_machines
from .mapping import Questions
from .settings import MAX_HOSTS, RelaySettings

if TYPE_CHECKING:
    from ..metrics.web import Web

#: What is known is shown for so long when the engine does not answer.
KEPT_S = 15.0
PORTS_FILE = "relay.tsv"


class Outlet:
    """A port, its announcement, and what it says."""

    def __init__(self, host: str, port: Port, announcer: Announcer, line: Callable[[str], bytes]) -> None:
        self.host, self.port, self.announcer, self.line = host, port, announcer, line


class Relay:
    """Asks, listens, sends. ``run`` returns after SIGTERM, SIGINT or ``stop``."""

    def __init__(self, config: Config, settings: RelaySettings, log: Log = log_to_stderr) -> None:
        self.config, self.settings = config, settings
        self._log, self._limit = log, LogLimit(log)
        self._epoll = select.epoll()
        self.wake = Wake(self._epoll)
        self._status = StatusFile(config.runtime_dir, log)
        self._notifier = Notifier(os.environ)
        questions = Questions(settings.label, settings.range_s, settings.replaced)
        self._questions = questions
        self._engine = Engine(settings.engine, settings.token, settings.login)
        self._page = FleetPage(settings, questions)
        self._failed: Set[str] = set()
        self._started = time.monotonic()
        #: When the fleet was last known, and when the machines.
        self._answered_at = self._machines_at = self._started
        self._problem = ""
        #: The answers of the newest round, until the loop takes them.
        self._round: Optional[Tuple[Fleet, Optional[Dict[str, Found]], Dict[str, float]]] = None
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self.fleet = Fleet(settings.fleet, machines=UpOf(), gpus=UpOf())
        self.machines: Dict[str, RelayedMachine] = {}
        self._remembered = self._read_ports()
        self.fleet_outlet = self._open(settings.fleet, config.port, self._fleet_info, self._fleet_line)
        self.port = self.fleet_outlet.port.port
        self.web: Optional[Web] = self._open_web() if config.metrics[0] else None
        self._lines = 0
        #: By name of the machine.
        self.outlets: Dict[str, Outlet] = {}
        for at, (host, port) in enumerate(settings.hosts, 1):
            self._add(host, port or (config.port + at if config.port else 0))
        self._targets: Tuple[float, List[Tuple[str, str]]] = (-1e9, [])

    # -- ports --

    def _open(
        self, host: str, port: int, info: Callable[[], InfoLine], line: Callable[[str], bytes]
    ) -> Outlet:
        where = replace(self.config, port=port)
        status = self._status
        opened = Port(where, self._epoll, self._log, self._limit, info, self._acknowledged, status)
        announcer = Announcer(self.config, opened.port, self._log, self._broadcast_targets)
        return Outlet(host, opened, announcer, line)

    def _open_web(self) -> Web:
        # Here, because a relay without metrics need not spend memory on them.
        from ..metrics.web import Web
        from .page import write_page

        def page(openmetrics: bool) -> bytes:
            now = time.monotonic()
            servers = {outlet.host: outlet.port.boards.values() for outlet in self._all()}
            return write_page(openmetrics, self.fleet, now - self._answered_at, servers, self._lines, now)

        return Web(self.config, self._epoll, self._log, self._limit, page)

    def _add(self, host: str, port: int) -> None:
        machine = RelayedMachine(host)

        def line(address: str) -> bytes:
            said = replace(machine.snapshot(time.monotonic()), address=address)
            return encode_snapshot(said, sealed=bool(self.config.key))

        self.outlets[host] = self._open(host, port, machine.info, line)
        self.machines[host] = machine
        self._log(f"{host} on port {self.outlets[host].port.port}")

    def _add_new(self, hosts: List[str]) -> None:
        """Ports for machines that were not there before, each the same after a restart."""
        taken = {outlet.port.port for outlet in self.outlets.values()} | set(self._remembered.values())
        for host in hosts:
            if host in self.outlets or len(self.outlets) >= MAX_HOSTS:
                continue
            port = self._remembered.get(host, 0)
            if not port and self.config.port:
                first = self.config.port + 1
                port = next(p for p in range(first, first + MAX_HOSTS + len(taken) + 1) if p not in taken)
            try:
                self._add(host, min(port, 65535))
            except ListenError as why:
                taken.add(port)
                self._limit(f"{host}: {why}", time.monotonic(), "ports")
                continue
            self._remembered[host] = self.outlets[host].port.port
            taken.add(self._remembered[host])
        self._write_ports()

    def _read_ports(self) -> Dict[str, int]:
        path = os.path.join(self.config.state_dir, PORTS_FILE) if self.config.state_dir else ""
        rows = read_rows(path) if path and self.settings.all_hosts else []
        return {row[0]: int(row[1]) for row in rows[:MAX_HOSTS] if len(row) == 2 and row[1].isdecimal()}

    def _write_ports(self) -> None:
        if self.config.state_dir and self.settings.all_hosts:
            text = "".join(f"{host}\t{port}\n" for host, port in self._remembered.items())
            problem = replace_file(os.path.join(self.config.state_dir, PORTS_FILE), text)
            if problem:
                self._limit(f"ports are not remembered: {problem}", time.monotonic(), "ports")

    def _broadcast_targets(self) -> List[Tuple[str, str]]:
        """One look for all announcers."""
        now = time.monotonic()
        if now - self._targets[0] > 4.0:
            self._targets = now, broadcast_targets()
        return self._targets[1]

    # -- the thread that asks --

    def _ask(self) -> None:
        while not self._stopped.is_set():
            began = time.monotonic()
            try:
                self._engine.begin()
                fleet = self._page.ask(self._engine, began, self._refused)
                up = self._page.up
                hosts = [host for host, _ in self.settings.hosts]
                if self.settings.all_hosts:
                    hosts += [host for host in sorted(up) if host not in hosts][: MAX_HOSTS - len(hosts)]
                with self._lock:
                    self._round = (fleet, None, dict(up))  # the machines may take longer
                self._engine.begin()
                found = ask_machines(self._engine, self._questions, hosts, self._refused)
                with self._lock:
                    self._round, self._problem = (fleet, found, dict(up)), ""
            except EngineError as why:
                self._tell(why.word, str(why))
            except Exception as fault:
                self._tell("wrong", f"{fault!r}: please report this")
            self.wake.poke(READY)
            self._stopped.wait(max(0.2, self.settings.every_s - (time.monotonic() - began)))

    def _tell(self, word: str, text: str) -> None:
        if word != self._problem:
            self._log(f"{self.settings.engine}: {text}")
        with self._lock:
            self._problem = word

    def _refused(self, what: str, problem: EngineError) -> None:
        if what not in self._failed:
            self._failed.add(what)
            self._log(f"{what} is not known: {problem}")

    def _take_round(self, now: float) -> None:
        with self._lock:
            answers, self._round, problem = self._round, None, self._problem
        if answers is not None:
            fleet, found, up = answers
            self.fleet, self._answered_at = fleet, now
            if found is not None:
                self._machines_at = now
                if self.settings.all_hosts:
                    self._add_new(list(found))
                for host, machine in self.machines.items():
                    machine.take(found.get(host, {}), up.get(host, 0.0) > 0, now)
        if problem and now - self._answered_at > KEPT_S:
            self.fleet = Fleet(
                self.settings.fleet,
                source=problem,
                machines=UpOf(None, len(self._page.up) or None),
                gpus=UpOf(),
            )
        if problem and now - self._machines_at > KEPT_S:
            for machine in self.machines.values():
                machine.forget(problem)

    # -- the schedule --

    def run(self) -> None:
        """Serves until it is told to stop."""
        self._log(f"asking {self.settings.engine}; {self.settings.fleet} on port {self.port}")
        self._notifier.ready(self.port)
        threading.Thread(target=self._ask, name="engine", daemon=True).start()
        due = time.monotonic()
        try:
            while not self._stopped.is_set():
                due = self._turn(due)
        finally:
            self.close()

    def _all(self) -> List[Outlet]:
        return [self.fleet_outlet, *self.outlets.values()]

    def _turn(self, due: float) -> float:
        """One wait and what follows it; when the next line is due."""
        outlets = self._all()
        moments = [due, *(outlet.announcer.due_at for outlet in outlets)]
        moments += [moment for outlet in outlets for moment in outlet.port.moments()]
        if self.web is not None:
            moments += self.web.moments()
        for fd, events in self._epoll.poll(max(0.0, min(moments) - time.monotonic())):
            if fd == self.wake.fd:
                self._woken()
                continue
            if self.web is not None and self.web.mine(fd):
                self.web.ready(fd, events)
                continue
            for outlet in outlets:
                if outlet.port.mine(fd):
                    outlet.port.ready(fd, events)
                    break
        now = time.monotonic()
        if now >= due:
            interval = self.config.interval
            due += interval * (int((now - due) / interval) + 1)
            self._publish(now)
        for outlet in outlets:
            if now >= outlet.announcer.due_at:
                outlet.announcer.send(now, outlet.host)
            outlet.port.tick(now)
        if self.web is not None:
            self.web.tick(now)
        return due

    def _publish(self, now: float) -> None:
        self._take_round(now)
        self._notifier.alive()
        self._lines += 1
        if self.web is not None:
            self.web.renew()
        boards: List[Connection] = []
        for outlet in self._all():
            if outlet.port.boards:
                outlet.port.publish(now, outlet.line)
                boards += [board for board in outlet.port.boards.values() if board.greeted]
        self._limit.tick(now)
        self._status.write(self.port, boards, now)

    def _fleet_info(self) -> InfoLine:
        return InfoLine(collector=__version__)

    def _fleet_line(self, address: str) -> bytes:
        uptime = int(time.monotonic() - self._started)
        said = replace(self.fleet, address=address, time=clock()[:5], uptime_s=uptime)
        return encode_fleet(said, sealed=bool(self.config.key))

    def _acknowledged(self, seen: Optional[AbstractSet[Event]] = None) -> int:
        # The same cards, once of the fleet and once of the machines that have a port.
        of_machines = sum(machine.acknowledge() for machine in self.machines.values())
        return max(self._page.forget_lost(), of_machines)

    # -- what wakes it --

    def _woken(self) -> None:
        said = self.wake.letters()
        if STOP in said:
            self._stopped.set()
        if ACKNOWLEDGE in said:
            count = self._acknowledged()
            self._log(f"acknowledged: {count} events")
            self._status.acknowledged(count)
        if READY in said:
            self._take_round(time.monotonic())

    def stop(self) -> None:
        """Ends ``run``; may be called from another thread or a signal handler."""
        self.wake.poke(STOP)

    def close(self) -> None:
        """Closes every socket."""
        self._stopped.set()
        self._notifier.stopping()
        self._notifier.close()
        for outlet in self._all():
            outlet.port.close()
            outlet.announcer.close()
        if self.web is not None:
            self.web.close()
        self._status.remove()
        self._epoll.close()
        self.wake.close()
