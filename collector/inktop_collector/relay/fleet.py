"""The fleet page: a few questions whose answers are small, however many machines there are."""

from __future__ import annotations

from typing import Callable, Dict, List, Optional, Tuple

from inktop_protocol.model import MAX_WORST, Fleet, FleetPower, FleetVram, UpOf, Worst

from .engine import Engine, EngineError
from .mapping import HOST, KEY, Questions
from .settings import RelaySettings

#: The order of the words: the worst first (protocol, section 16).
WORDS = ("down", "lost", "hot", "vram", "mem", "disk", "cpu")
#: A GPU that was there counts as lost for so long.
REMEMBER_S = 86400.0


class FleetPage:
    """Asks, and remembers since when a machine is down and how many GPUs it had."""

    def __init__(self, settings: RelaySettings, questions: Questions) -> None:
        self._settings = settings
        self._questions = questions
        self._down_at: Dict[str, float] = {}
        self._had: Dict[str, Tuple[int, float]] = {}
        #: 1 or 0 for each machine, as of the last round.
        self.up: Dict[str, float] = {}
        #: GPUs of each machine as of the last round, and when that was.
        self._present: Dict[str, Tuple[int, float]] = {}

    def ask(self, engine: Engine, now: float, failed: Callable[[str, EngineError], None]) -> Fleet:
        """The fleet without address and times. Raises EngineError when nothing can be said of it."""
        settings, of = self._settings, self._questions.of
        machines = self._questions.machines(settings.machines)
        self.up = {labels.get(HOST, ""): value for labels, value in engine.ask(machines)}

        def number(what: str, question: str) -> Optional[int]:
            try:
                answer = engine.ask(question)
            except EngineError as problem:
                if problem.word != "refused":
                    raise
                failed(what, problem)
                return None
            return int(answer[0][1] + 0.5) if answer else None

        age = number("stale", f"time() - max(timestamp({settings.machines}))")
        wrong = self._down(now) + self._lost(engine, now, failed)
        count = len(wrong)
        used, total = of("gpu.vram_used_mib"), of("gpu.vram_total_mib")
        memory = [of(f"memory.{m}_milligib") for m in ("used", "total")]
        disks = [of(f"disks.{m}_mib") for m in ("used", "total")]
        heat = f"({of('gpu.junction_c')}) or ({of('gpu.edge_c')})"
        for what, question in (
            ("hot", f"({heat}) >= {settings.hot_c}"),
            ("vram", f"100 * ({used}) / (({total}) > 0) >= {settings.vram_percent}"),
            ("mem", f"100 * ({memory[0]}) / (({memory[1]}) > 0) >= {settings.mem_percent}"),
            ("disk", f"100 * ({disks[0]}) / (({disks[1]}) > 0) >= {settings.disk_percent}"),
            ("cpu", f"100 * ({of('cpu_permille')}) >= {settings.cpu_percent}"),
        ):
            some, more = self._some(engine, what, question, failed)
            wrong += some
            count += more
        wrong.sort(key=lambda one: (WORDS.index(one.what), -(one.value or 0), one.host))
        here = sum(found for found, _ in self._present.values())
        had = sum(max(found, self._had.get(host, (0, 0))[0]) for host, (found, _) in self._present.items())
        had += sum(most for host, (most, _) in self._had.items() if host not in self._present)
        busy = number("busy", f"100 * avg({of('gpu.busy_percent')})")
        mib = 1 / (1 << 20)
        vram_used, vram_total = (number("vram", f"{mib!r} * sum({one})") for one in (used, total))
        stale = age is not None and age > settings.stale_s
        return Fleet(
            settings.fleet,
            source="stale" if stale else None,
            machines=UpOf(sum(value > 0 for value in self.up.values()), len(self.up)),
            gpus=UpOf(here, had),
            busy_percent=busy,
            power=FleetPower(
                number("power", f"sum({of('gpu.power_w')})"), number("power", f"sum({of('gpu.power_cap_w')})")
            ),
            vram=FleetVram(vram_used, vram_total),
            wrong=count,
            worst=tuple(wrong[:MAX_WORST]),
        )

    def _down(self, now: float) -> List[Worst]:
        down = [host for host, value in self.up.items() if value <= 0]
        self._down_at = {host: self._down_at.get(host, now) for host in down}
        return [Worst(host, "down", int(now - self._down_at[host])) for host in down]

    def _lost(self, engine: Engine, now: float, failed: Callable[[str, EngineError], None]) -> List[Worst]:
        """Machines that are up with fewer GPUs than they had."""
        try:
            answer = engine.ask(f"count by ({HOST}) ({self._questions.of('gpu.vram_total_mib')})")
        except EngineError as problem:
            if problem.word != "refused":
                raise
            failed("lost", problem)
            answer = []
        self._present = {labels.get(HOST, ""): (int(value), now) for labels, value in answer}
        for host, (found, _) in self._present.items():
            most, at = self._had.get(host, (0, now))
            if found >= most or now - at > REMEMBER_S:
                self._had[host] = (found, now)
        for host in [host for host in self._had if host not in self.up]:
            del self._had[host]
        lost = []
        for host, (most, _) in self._had.items():
            gone = most - self._present.get(host, (0, now))[0]
            if gone > 0 and self.up.get(host, 0) > 0:
                lost.append(Worst(host, "lost", gone))
        return lost

    def forget_lost(self) -> int:
        """Somebody knows of the GPUs that are gone; how many machines had them."""
        gone = [
            host
            for host, (most, _) in self._had.items()
            if self.up.get(host, 0) > 0 and self._present.get(host, (0, 0.0))[0] < most
        ]
        for host in gone:
            del self._had[host]
        return len(gone)

    def _some(
        self, engine: Engine, what: str, question: str, failed: Callable[[str, EngineError], None]
    ) -> Tuple[List[Worst], int]:
        """The worst of one kind, and how many there are besides."""
        counted = f'label_replace(count({question}), "{HOST}", "", "{HOST}", ".*")'
        try:
            answer = engine.ask(f"topk({MAX_WORST}, {question}) or {counted}")
        except EngineError as problem:
            if problem.word != "refused":
                raise
            failed(what, problem)
            return [], 0
        rows = [(labels, value) for labels, value in answer if labels.get(HOST)]
        total = max([int(value) for labels, value in answer if not labels.get(HOST)], default=len(rows))
        worst = [Worst(labels[HOST], what, int(value), _part(labels.get(KEY))) for labels, value in rows]
        return worst, total


def _part(key: Optional[str]) -> Optional[str]:
    """``gpu3`` of ``dcgm:3``; a path by its end."""
    if not key:
        return None
    family, colon, name = key.partition(":")
    if colon and family in ("inktop", "dcgm", "amd"):
        return f"gpu{name}"[:15]
    return (name if colon else f"gpu{key}" if key.isdigit() else key)[-15:]
