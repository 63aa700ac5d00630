"""The relay: a rack behind a real Prometheus, and an engine that is dead, slow or lying."""

from __future__ import annotations

import json
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional
from urllib.request import Request, urlopen

import pytest
from inktop_collector.config import Config, ConfigError, load
from inktop_collector.relay import engine as engine_module
from inktop_collector.relay import loop as loop_module
from inktop_collector.relay.engine import Engine, EngineError
from inktop_collector.relay.loop import Relay
from inktop_collector.relay.machines import RelayedMachine
from inktop_collector.relay.mapping import MEMBERS, Questions, Source
from inktop_collector.relay.settings import RelaySettings, read_settings, source_of
from inktop_protocol import Disk, Fleet, FleetPower, Memory, Snapshot, UpOf, Worst, decode
from testkit.live import Client, wait
from testkit.prometheus import Prometheus, VictoriaMetrics, promtool
from testkit.rack import Rack

KEY = "correct horse battery staple"


class LiveRelay:
    """A relay in a thread, on the loopback."""

    def __init__(self, settings: RelaySettings, **config: object) -> None:
        usual: Dict[str, object] = {"bind": "127.0.0.1", "port": 0, "announce": False, "interval": 0.2}
        self.log: List[str] = []
        self.relay = Relay(Config(**{**usual, **config}), settings, self.log.append)  # type: ignore[arg-type]
        self._thread = threading.Thread(target=self.relay.run, daemon=True)
        self._thread.start()

    def fleet(self, condition: Callable[[Fleet], bool], seconds: float = 20.0) -> Fleet:
        """The first fleet line of which something is so."""
        line = until(self.relay.port, condition, seconds)
        assert isinstance(line, Fleet)
        return line

    def machine(self, host: str, condition: Callable[[Snapshot], bool], seconds: float = 20.0) -> Snapshot:
        """The first line of a machine of which something is so."""
        wait(lambda: host in self.relay.outlets, seconds)
        line = until(self.relay.outlets[host].port.port, condition, seconds)
        assert isinstance(line, Snapshot)
        return line

    def stop(self) -> None:
        """Ends it."""
        self.relay.stop()
        self._thread.join(10)
        assert not self._thread.is_alive()


def until(port: int, condition: Callable[..., bool], seconds: float) -> object:
    client = Client(port)
    client.hello()
    end = time.monotonic() + seconds
    newest: object = None
    try:
        while time.monotonic() < end:
            line = decode(client.line() or b"")
            if isinstance(line, (Fleet, Snapshot)):
                newest = line
                if condition(line):
                    return line
    finally:
        client.close()
    raise AssertionError(f"waited in vain; the newest line was {newest}")


# -- a real Prometheus --


@pytest.fixture(scope="module")
def rack() -> Iterator[Rack]:
    made = Rack(4, gpus=2)
    yield made
    made.close()


@pytest.fixture(scope="module")
def prometheus(rack: Rack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prometheus]:
    with Prometheus(tmp_path_factory.mktemp("prometheus"), rack.jobs()) as running:
        running.wait_for("count(up == 1) == 8")
        running.wait_for("count(rate(node_network_receive_bytes_total[30s])) == 8")
        yield running


def settled(line: Snapshot) -> bool:
    """Whether the rates are those of the rack: at first they are over less than their range."""
    rate = line.network.received_bytes_s if line.network else None
    return (
        bool(line.gpus)
        and abs((line.cpu_permille or 0) - 500) <= 40
        and abs((rate or 0) - 1_000_000) <= 150_000
    )


def settings(prometheus: Prometheus, **more: object) -> RelaySettings:
    made = RelaySettings(engine=prometheus.url, every_s=1, range_s=10)
    for name, value in more.items():
        setattr(made, name, value)
    return made


def test_a_rack_becomes_a_fleet_line_and_a_line_of_each_machine(rack: Rack, prometheus: Prometheus) -> None:
    live = LiveRelay(settings(prometheus, hosts=(("node1", 0),), fleet="rack7"))
    try:
        fleet = live.fleet(lambda line: line.wrong is not None and line.power != FleetPower())
        assert (fleet.host, fleet.source) == ("rack7", None)
        assert (fleet.machines, fleet.gpus) == (UpOf(4, 4), UpOf(8, 8))
        assert fleet.power == FleetPower(804, None)
        assert fleet.vram is not None
        assert (fleet.vram.used_mib, fleet.vram.total_mib) == (8000, 648000)
        assert (fleet.wrong, fleet.worst) == (0, ())
        line = live.machine("node1", settled)
        assert (line.host, line.cpus) == ("node1", 4)
        assert line.load_centi == (150, 125, 100)
        assert line.memory == Memory(128000, 512000, 64000)
        assert line.uptime_s == pytest.approx(86400, abs=120)
        assert line.disks == (Disk(40 * 1024, 90 * 1024, "/"),)
        assert line.network is not None
        assert line.network.name == "eno1"
        assert [gpu.power_w for gpu in line.gpus] == [100, 101]
        gpu = line.gpus[1]
        assert (gpu.index, gpu.busy_percent, gpu.vram_used_mib, gpu.vram_total_mib) == (1, 1, 1000, 81000)
        assert (gpu.edge_c, gpu.memory_c, gpu.core_clock_mhz, gpu.state) == (51, 60, 1980, "ok")
        client = Client(live.relay.outlets["node1"].port.port)
        info = client.info()
        assert [one.name for one in info.gpus] == ["NVIDIA H100 80GB HBM3"] * 2
    finally:
        live.stop()


def test_a_victoria_metrics_is_as_good(rack: Rack, tmp_path: Path) -> None:
    with VictoriaMetrics(tmp_path, rack.jobs()) as engine:
        live = LiveRelay(settings(engine, hosts=(("node1", 0),)))
        try:
            fleet = live.fleet(lambda line: line.gpus == UpOf(8, 8) and line.power == FleetPower(804, None))
            assert fleet.machines == UpOf(4, 4)
            line = live.machine("node1", settled)
            assert [gpu.power_w for gpu in line.gpus] == [100, 101]
            assert not [text for text in live.log if "is not known" in text]
        finally:
            live.stop()


def test_what_is_wrong_is_told_by_name_and_acknowledged(rack: Rack, prometheus: Prometheus) -> None:
    live = LiveRelay(settings(prometheus, hosts=(("node0", 0), ("node2", 0))))
    try:
        live.fleet(lambda line: line.gpus == UpOf(8, 8))
        live.machine("node0", lambda line: len(line.gpus) == 2)
        rack.down.add("node2")
        rack.gone.add("node0 1")
        rack.hot.add("node3 0")
        # A round may fall between the scrapes of one machine: its GPUs are lost before it is down.
        wrong = [("node2", "down"), ("node0", "lost"), ("node3", "hot")]
        fleet = live.fleet(lambda line: [(one.host, one.what) for one in line.worst] == wrong)
        assert fleet.wrong == 3
        assert fleet.machines == UpOf(3, 4)
        assert fleet.gpus == UpOf(5, 8)
        assert fleet.worst[2] == Worst("node3", "hot", 101, "gpu0")
        line = live.machine("node0", lambda line: line.gpus[1].state == "lost")
        assert line.gpus[0].state == "ok"
        down = live.machine("node2", lambda line: bool(line.events))
        assert (down.events[0].subject, down.events[0].what) == ("sys", "down")
        assert down.cpu_permille is None
        assert [gpu.state for gpu in down.gpus] in ([], ["stale", "stale"])
        assert live.relay._acknowledged() == 1
        live.fleet(lambda line: line.wrong == 2 and line.gpus == UpOf(5, 7))
    finally:
        rack.down.clear()
        rack.gone.clear()
        rack.hot.clear()
        live.stop()


def test_all_machines_get_ports_that_stay_theirs(rack: Rack, prometheus: Prometheus, tmp_path: Path) -> None:
    live = LiveRelay(settings(prometheus, all_hosts=True), state_dir=str(tmp_path))
    try:
        wait(lambda: len(live.relay.outlets) == 4, 20)
        ports = {host: outlet.port.port for host, outlet in live.relay.outlets.items()}
    finally:
        live.stop()
    again = LiveRelay(settings(prometheus, all_hosts=True), state_dir=str(tmp_path))
    try:
        wait(lambda: len(again.relay.outlets) == 4, 20)
        assert {host: outlet.port.port for host, outlet in again.relay.outlets.items()} == ports
    finally:
        again.stop()


def test_every_question_is_one_that_prometheus_understands(prometheus: Prometheus) -> None:
    questions = Questions("instance", 60, {"gpu.fan_rpm": Source("my_fan_rpm{$hosts}", "gpu")})
    engine = Engine(prometheus.url)
    for member in MEMBERS:
        for hosts in ((), ("node1", "node.2", "[fe80::1]")):
            engine.begin()
            engine.ask(questions.of(member, hosts))
    engine.close()


def test_a_row_that_is_refused_costs_that_row_alone(prometheus: Prometheus) -> None:
    bad = {"cpu_permille": Source("this is no PromQL"), "gpu.busy_percent": Source("rate(")}
    live = LiveRelay(settings(prometheus, hosts=(("node1", 0),), replaced=bad))
    try:
        line = live.machine("node1", lambda line: bool(line.gpus))
        assert line.cpu_permille is None
        assert line.gpus[0].power_w == 100
        assert (
            live.fleet(lambda line: line.power is not None and line.power.drawn_w == 804).busy_percent is None
        )
        wait(lambda: any("cpu_permille is not known" in text for text in live.log), 10)
        assert len([text for text in live.log if "cpu_permille" in text]) == 1
    finally:
        live.stop()


def test_with_a_key_the_lines_are_sealed(prometheus: Prometheus) -> None:
    live = LiveRelay(settings(prometheus), key=KEY)
    try:
        client = Client(live.relay.port)
        client.hello(key=KEY, board_nonce="0" * 32)
        assert client.stream is not None
        for _ in range(4):
            line = client.line()
            assert line is not None
            assert client.stream.opens(line)
    finally:
        live.stop()


def test_its_own_page_has_the_fleet_the_engine_and_the_boards_of_each_port(
    rack: Rack, prometheus: Prometheus, tmp_path: Path
) -> None:
    live = LiveRelay(settings(prometheus, hosts=(("node1", 0),), fleet="rack7"), metrics=("127.0.0.1", 0))
    try:
        live.fleet(lambda line: line.vram is not None)
        # One board that follows the fleet and a machine.
        boards = [Client(live.relay.port), Client(live.relay.outlets["node1"].port.port)]
        for board in boards:
            board.hello("desk")
            board.info()
        assert live.relay.web is not None
        place = f"127.0.0.1:{live.relay.web.port}"
        # A page is written once for each line, so that one may be older than the hellos.
        wait(lambda: fetched(place).count("inktop_board_info{") == 2)
        page = fetched(place)
        done = subprocess.run([promtool(), "check", "metrics"], input=page, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        rows = dict(row.rpartition(" ")[::2] for row in page.splitlines() if not row.startswith("#"))
        assert (rows["inktop_fleet_machines_up"], rows["inktop_fleet_machines"]) == ("4", "4")
        assert (rows["inktop_fleet_gpus_up"], rows["inktop_fleet_gpus"]) == ("8", "8")
        assert rows["inktop_fleet_power_watts"] == "804"
        assert rows["inktop_fleet_gpu_memory_size_bytes"] == str(648000 << 20)
        assert rows["inktop_relay_engine_up"] == "1"
        assert float(rows["inktop_relay_answer_age_seconds"]) < 5
        for server in ("rack7", "node1"):
            labels = f'{{board="desk",address="127.0.0.1",server="{server}"}}'
            assert int(rows["inktop_board_lines_sent_total" + labels]) >= 1
        # A real Prometheus takes it, as OpenMetrics.
        with Prometheus(tmp_path, {"relay": [place]}) as scraping:
            scraping.wait_for('up{job="relay"} == 1 and on() inktop_fleet_machines_up == 4')
            assert scraping.metadata("inktop_fleet_gpu_memory_size_bytes")["unit"] == "bytes"
    finally:
        live.stop()


def fetched(place: str) -> str:
    request = Request(f"http://{place}/metrics", headers={"Accept": "text/plain"})
    with urlopen(request, timeout=5) as answer:
        return str(answer.read().decode())


# -- an engine that is dead, slow or lying --


class FakeEngine:
    """Answers each question as a test says."""

    def __init__(self, answer: Callable[[], bytes], status: int = 200, wait_s: float = 0.0) -> None:
        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:  # noqa: N802
                self.rfile.read(int(self.headers["Content-Length"]))
                time.sleep(wait_s)
                self.send_response(status)
                self.end_headers()
                try:
                    self.wfile.write(answer())
                except OSError:
                    return

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FakeEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def vector(*rows: object) -> bytes:
    data = {"resultType": "vector", "result": list(rows)}
    return json.dumps({"status": "success", "data": data}).encode()


@pytest.mark.parametrize(
    ("answer", "status", "word"),
    [
        (b"", 200, "wrong"),
        (b"<html>", 200, "wrong"),
        (b"[]", 200, "wrong"),
        (b'{"status":"success"}', 200, "wrong"),
        (b'{"status":"success","data":{"resultType":"vector","result":[{}]}}', 200, "wrong"),
        (vector({"metric": [], "value": [0, "1"]}), 200, "wrong"),
        (vector({"metric": {}, "value": [0, "x"]}), 200, "wrong"),
        (b'{"status":"success","data":{"resultType":"matrix","result":[]}}', 200, "wrong"),
        (b"[" * 100000, 200, "wrong"),
        (b"x" * (9 << 20), 200, "wrong"),
        (b'{"status":"error","error":"no such function"}', 422, "refused"),
        (b"password?", 401, "refused"),
        (b"", 503, "refused"),
        (b"", 302, "refused"),
    ],
)
def test_an_answer_that_is_none_has_a_word(answer: bytes, status: int, word: str) -> None:
    with FakeEngine(lambda: answer, status) as fake:
        engine = Engine(fake.url)
        engine.begin()
        with pytest.raises(EngineError) as caught:
            engine.ask("up")
    assert caught.value.word == word


def test_numbers_that_are_none_are_left_out() -> None:
    rows = [{"metric": {"a": text}, "value": [0, text]} for text in ("NaN", "+Inf", "-Inf", "7")]
    with FakeEngine(lambda: vector(*rows)) as fake:
        engine = Engine(fake.url)
        engine.begin()
        assert engine.ask("up") == [({"a": "7"}, 7.0)]
        engine.close()


def test_an_engine_that_is_slow_or_away_has_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "ANSWER_WITHIN_S", 0.2)
    with FakeEngine(lambda: vector(), wait_s=1.0) as fake:
        engine = Engine(fake.url)
        engine.begin()
        with pytest.raises(EngineError) as caught:
            engine.ask("up")
        assert caught.value.word == "slow"
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        engine = Engine(f"http://127.0.0.1:{nobody.getsockname()[1]}")
        engine.begin()
        with pytest.raises(EngineError) as caught:
            engine.ask("up")
    assert caught.value.word == "down"


def test_a_dead_engine_is_said_and_the_lines_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop_module, "KEPT_S", 0.3)
    engine = RelaySettings(engine="http://127.0.0.1:9", hosts=(("node1", 0),), every_s=1)
    live = LiveRelay(engine, metrics=("127.0.0.1", 0))
    try:
        fleet = live.fleet(lambda line: line.source == "down")
        assert fleet.machines == UpOf(None, None)
        assert live.relay.web is not None
        page = fetched(f"127.0.0.1:{live.relay.web.port}")
        assert "\ninktop_relay_engine_up 0\n" in page
        assert "\ninktop_fleet_machines_up " not in page
        line = live.machine("node1", lambda line: bool(line.events))
        assert (line.events[0].subject, line.events[0].what) == ("engine", "down")
        assert line.cpu_permille is None
        assert len([text for text in live.log if text.startswith("http://127.0.0.1:9:")]) == 1
    finally:
        live.stop()


# -- machines and settings --


def test_of_a_machine_with_two_exporters_of_one_card_the_better_one_is_used() -> None:
    machine = RelayedMachine("a")
    machine.take({"gpu.busy_percent": {"drm:card1": 5, "amd:0": 6}}, True, 0.0)
    assert [(gpu.index, gpu.busy_percent) for gpu in machine.snapshot(0.0).gpus] == [(0, 6)]
    both = RelayedMachine("b")
    both.take({"gpu.power_w": {"amd:0": 1, "dcgm:0": 2, "dcgm:1": 3}}, True, 0.0)
    assert [gpu.power_w for gpu in both.snapshot(0.0).gpus] == [1, 2, 3]


def configured(text: str, tmp_path: Path, flags: Optional[Dict[str, str]] = None) -> RelaySettings:
    path = tmp_path / "collector.conf"
    path.write_text(text)
    return read_settings(load({"config": str(path)}, {}).relay, flags or {})


def test_settings_are_in_sections_of_their_own(tmp_path: Path) -> None:
    text = (
        "[collector]\nport = 7920\n[relay]\nengine = http://127.0.0.1:9090/prom\nhosts = node1, node2=7950\n"
        'machines = up{job="node"}\nhot = 90\n[relay metrics]\ngpu.power_w = my_watts{$hosts} by card\n'
    )
    read = configured(text, tmp_path, {"fleet": "rack7"})
    assert (read.engine, read.fleet, read.hot_c) == ("http://127.0.0.1:9090/prom", "rack7", 90)
    assert read.hosts == (("node1", 0), ("node2", 7950))
    assert read.machines == 'up{job="node"}'
    assert read.replaced == {"gpu.power_w": Source("my_watts{$hosts}", "card")}
    assert configured("[relay]\nengine=http://a\nhosts=all\n", tmp_path).all_hosts


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[relay]\n", "which Prometheus"),
        ("[relay]\nengine = 127.0.0.1:9090\n", r"collector.conf:2: must be the URL"),
        ("[relay]\nengine = http://u:p@a\n", "no password in it"),
        ("[relay]\nengine = http://a\nhosts = a=b\n", "NAME=PORT"),
        ("[relay]\nengine = http://a\nhosts = a, a\n", "twice"),
        ("[relay]\nengine = http://a\nfleet = a b\n", "must be a name"),
        ("[relay]\nengine = http://a\nevery = 0\n", "from 1 to 60"),
        ("[relay]\nengine = http://a\ncolour = red\n", "'colour' is not a setting of"),
        ("[relay metrics]\ngpu.colour = x\n", "'gpu.colour' is not a setting of"),
        ("[relay]\nengine = http://a\ntoken_file = /nonexistent\n", "cannot be read"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        configured(text, tmp_path)


def test_an_expression_may_name_its_labels() -> None:
    assert source_of("cpus", "count by (x) (y)") == Source("count by (x) (y)")
    assert source_of("gpu.name", "info{$hosts} by card text model") == Source("info{$hosts}", "card", "model")
    assert source_of("gpu.power_w", "watts") == Source("watts", "gpu")
