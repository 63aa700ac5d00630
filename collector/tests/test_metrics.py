"""The page of metrics: what is on it, who fetches it, and that nobody who does holds up a line."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import socket
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Tuple

import pytest
from inktop_collector.config import ConfigError, load
from inktop_collector.metrics import web as web_module
from inktop_collector.metrics.page import CLASSIC, OPENMETRICS, Page, wants_openmetrics
from inktop_collector.metrics.rows import (
    BOARD,
    ELSEWHERE,
    GPU_FACTS,
    GROUPS,
    HEALTH,
    MACHINE,
    write_page,
)
from inktop_collector.server.connection import Connection
from inktop_collector.server.listener import ListenError
from inktop_collector.server.loop import Server
from inktop_protocol import (
    Clock,
    Count,
    Disk,
    DiskTraffic,
    Event,
    Gpu,
    GpuInfo,
    GpuUser,
    Health,
    InfoLine,
    Memory,
    ModelServer,
    Network,
    Snapshot,
    Swap,
    encode_health,
)
from inktop_protocol import model as model_module
from prometheus_client import parser as classic_parser
from prometheus_client.openmetrics import parser as openmetrics_parser
from testkit.live import LiveServer, free_port
from testkit.prometheus import Prometheus, promtool
from testkit.recorded import Machine

#: Everything a machine can say, each value another.
ALL: Dict[str, Any] = {
    "host": "t7910",
    "time": "12:14",
    "uptime_s": 1051200,
    "cpu_permille": 124,
    "cpus": 4,
    "cpu_levels": (0, 15, None, 3),
    "load_centi": (52, None, 31),
    "memory": Memory(6900, 125900, 20300),
    "swap": Swap(250, 8000),
    "network": Network("eno1", 11800000, 420000),
    "cpu_c": 62,
    "disks": (Disk(421888, 976562, "/home"), Disk(9216, 51200, "/")),
    "disk_traffic": DiskTraffic(12500000, 310000),
    "gpus": (
        Gpu(0, 95, 30207, 32624, 67, 81, 92, 209, 2990, 2786, 1258, 55),
        Gpu(3, state="lost"),
        Gpu(5, 1, state="thawing"),
    ),
    "gpu_users": (GpuUser(0, 'a "b" \\c\nd', 27750, 94, 2),),
    "model_server": ModelServer("vLLM", 3, 1, 84, 1200, 37),
    "events": (Event("gpu1", "lost", "03:01:15"),),
}
INFO = InfoLine(
    collector="0.1.0",
    clock=Clock("12:14:03", 1051200),
    cpu_model="2x E5-2683 v4",
    gpus=(GpuInfo(0, "R9700", "0000:03:00.0", 300, 100, 110, 108), GpuInfo(3, "R9700")),
)
HEALTHY = Health(
    "desk", 86400, 181200, 3900112, -61, 43012, 24, (Count("lines", 1),), 171, (Count("checksum", 2),),
    1733, 65524, 98304, 9216, 3072, 8,
)  # fmt: skip


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveServer]:
    server = LiveServer(Machine(tmp_path), metrics=("127.0.0.1", 0))
    yield server
    server.stop()


def parse_openmetrics(page: str) -> Iterable[Any]:
    return openmetrics_parser.text_string_to_metric_families(page)  # type: ignore[no-untyped-call, no-any-return]


def parse_classic(page: str) -> Iterable[Any]:
    return classic_parser.text_string_to_metric_families(page)


def written(openmetrics: bool = True, **values: Any) -> str:
    return write_page(openmetrics, {**ALL, **values}, INFO, (), 7, 100.0).decode()


def samples(page: str) -> Dict[str, float]:
    """Series to value, from the text alone."""
    rows = [row for row in page.splitlines() if not row.startswith("#")]
    return {series: float(value) for series, _, value in (row.rpartition(" ") for row in rows)}


def get(
    live: LiveServer, path: str = "/metrics", method: str = "GET", **headers: str
) -> Tuple[int, str, str]:
    assert live.server.web is not None
    client = http.client.HTTPConnection("127.0.0.1", live.server.web.port, timeout=5)
    client.request(method, path, headers=headers)
    answer = client.getresponse()
    try:
        return answer.status, answer.getheader("Content-Type", ""), answer.read().decode()
    finally:
        client.close()


def ask(live: LiveServer, request: bytes) -> bytes:
    """All that comes back, until the other side closes."""
    assert live.server.web is not None
    with socket.create_connection(("127.0.0.1", live.server.web.port), timeout=5) as client:
        client.sendall(request)
        parts: List[bytes] = []
        while True:
            part = client.recv(65536)
            if not part:
                return b"".join(parts)
            parts.append(part)


# -- what is on it --


def test_a_page_says_what_the_line_says_in_base_units() -> None:
    said = samples(written())
    assert said['inktop_collector_info{version="0.1.0",host="t7910",cpu_model="2x E5-2683 v4"}'] == 1
    assert said["inktop_lines_total"] == 7
    assert said["inktop_uptime_seconds"] == 1051200
    assert said["inktop_cpu_busy_ratio"] == 0.124
    assert said["inktop_cpu_temperature_celsius"] == 62
    assert said['inktop_cpu_cell_busy_ratio{cell="3"}'] == 0.2
    assert (said["inktop_load1"], said["inktop_load15"]) == (0.52, 0.31)
    assert said["inktop_memory_used_bytes"] == 7408818586  # 6.9 GiB
    assert said["inktop_swap_size_bytes"] == 8 * 2**30
    assert said['inktop_network_received_bytes_per_second{interface="eno1"}'] == 11800000
    assert said['inktop_filesystem_used_bytes{mountpoint="/home"}'] == 421888 * 2**20
    assert said["inktop_disk_written_bytes_per_second"] == 310000
    assert said['inktop_gpu_busy_ratio{gpu="0"}'] == 0.95
    assert said['inktop_gpu_memory_used_bytes{gpu="0"}'] == 30207 * 2**20
    assert said['inktop_gpu_temperature_celsius{gpu="0",sensor="junction"}'] == 81
    assert said['inktop_gpu_clock_hertz{gpu="0",domain="memory"}'] == 1258000000
    assert said['inktop_gpu_fan_duty_ratio{gpu="0"}'] == 0.55
    assert said['inktop_gpu_state{gpu="3",inktop_gpu_state="lost"}'] == 1
    assert said['inktop_gpu_state{gpu="3",inktop_gpu_state="ok"}'] == 0
    assert said['inktop_gpu_state{gpu="5",inktop_gpu_state="thawing"}'] == 1
    assert said['inktop_gpu_info{gpu="0",name="R9700",pci="0000:03:00.0"}'] == 1
    assert said['inktop_gpu_power_limit_watts{gpu="0"}'] == 300
    assert said['inktop_gpu_temperature_critical_celsius{gpu="0",sensor="memory"}'] == 108
    assert said['inktop_model_server_cache_used_ratio{server="vLLM"}'] == 0.37
    assert said['inktop_event_active{subject="gpu1",what="lost",began="03:01:15"}'] == 1


def test_what_is_unknown_is_not_on_it_and_is_no_zero() -> None:
    said = samples(written(cpu_permille=None, memory=Memory(None, 125900)))
    assert not [series for series in said if series.startswith(("inktop_load5", "inktop_cpu_busy"))]
    assert "inktop_memory_used_bytes" not in said
    assert "inktop_memory_size_bytes" in said
    assert 'inktop_gpu_busy_ratio{gpu="3"}' not in said
    assert 'inktop_cpu_cell_busy_ratio{cell="2"}' not in said


def test_every_key_of_the_line_and_of_a_health_line_is_on_it() -> None:
    rows = {of.member: {row.member for row in of.rows} | {m for _, m in of.labels} for of in GROUPS}
    machine = {row.member for row in MACHINE.rows}
    for field in fields(Snapshot):
        assert field.name in machine | set(rows) | set(ELSEWHERE), f"metrics/rows.py: {field.name}"
    types = {"gpus": "Gpu", "gpu_users": "GpuUser", "disks": "Disk", "model_server": "ModelServer"}
    types.update(memory="Memory", swap="Swap", network="Network", disk_traffic="DiskTraffic")
    for member, name in types.items():
        for field in fields(getattr(model_module, name)):
            assert field.name in rows[member] | {"state", "throttle"}, f"metrics/rows.py: {name}.{field.name}"
    facts = {row.member for row in GPU_FACTS.rows} | {"index", "name", "pci"}
    assert {field.name for field in fields(GpuInfo)} <= facts
    health = {row.member for row in HEALTH.rows} | {"board", "version", "refresh_errors", "bad_lines"}
    assert {field.name for field in fields(Health)} <= health
    assert all(
        hasattr(Connection, row.member) or row.member in ("sent", "dropped", "bad") for row in BOARD.rows
    )


@pytest.mark.parametrize("openmetrics", [True, False])
def test_a_strict_reader_takes_it(openmetrics: bool) -> None:
    page = written(openmetrics)
    read = list(parse_openmetrics(page) if openmetrics else parse_classic(page))
    names = [family.name for family in read]
    assert len(names) == len(set(names)) > 40
    process = next(f for f in read if f.name == "inktop_gpu_user_memory_bytes").samples[0].labels["process"]
    assert process == 'a "b" \\c\nd'
    if openmetrics:
        kinds = {family.name: (family.type, family.unit) for family in read}
        assert kinds["inktop_gpu_state"] == ("stateset", "")
        assert kinds["inktop_gpu"] == ("info", "")
        assert kinds["inktop_lines"] == ("counter", "")
        assert kinds["inktop_gpu_power_watts"] == ("gauge", "watts")


def test_promtool_finds_nothing_to_complain_about() -> None:
    done = subprocess.run(
        [promtool(), "check", "metrics"], input=written(False), capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    # And it would have: a counter whose name does not say so.
    bad = "# HELP a_total a\n# TYPE a_total gauge\na_total 1\n"
    done = subprocess.run([promtool(), "check", "metrics"], input=bad, capture_output=True, text=True)
    assert done.returncode != 0


def test_a_series_that_is_there_twice_is_written_once() -> None:
    page = written(disks=(Disk(1, 9, "...same/end"), Disk(2, 9, "...same/end")))
    assert page.count("inktop_filesystem_used_bytes{") == 1
    list(parse_openmetrics(page))


def test_text_that_is_no_unicode_spoils_no_page() -> None:
    page = write_page(True, {**ALL, "host": "b\udcffro"}, INFO, (), 0, 0.0)
    list(parse_openmetrics(page.decode("utf-8")))


def test_a_number_is_written_as_short_as_it_can_be() -> None:
    page = Page(True)
    page.add("a", "gauge", "A.", 0.1 + 0.2, {})
    page.add("b", "gauge", "B.", None, {})
    assert page.text() == b"# TYPE a gauge\n# HELP a A.\na 0.3\n# EOF\n"


# -- who gets what --


@pytest.mark.parametrize(
    ("accept", "modern"),
    [
        ("*/*", True),
        ("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", True),
        ("text/plain", False),
        ("text/plain;version=0.0.4;q=1,*/*;q=0.1", False),
        ("application/openmetrics-text;q=0.2, text/plain;q=0.7", False),
        ("application/openmetrics-text;version=2.0.0, text/plain;q=0.1", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", False),
        ("application/json", True),
        ("text/plain;q=nonsense, application/openmetrics-text;q=0.1", True),
        (";;;,,,q=", True),
    ],
)
def test_a_client_gets_the_format_that_it_asks_for(accept: str, modern: bool) -> None:
    assert wants_openmetrics(accept) is modern


def test_the_page_is_served_beside_the_lines(live: LiveServer) -> None:
    board = live.board()
    board.snapshot()
    board.socket.sendall(encode_health(HEALTHY))
    live.wait(lambda: any(b.health for b in live.server.boards.values()))
    status, kind, page = get(live)
    assert (status, kind) == (200, OPENMETRICS)
    said = samples(page)
    of_desk = 'board="desk",address="127.0.0.1"'
    assert said[f'inktop_board_info{{{of_desk},firmware="0.1.0"}}'] == 1
    assert said[f"inktop_board_lines_sent_total{{{of_desk}}}"] >= 1
    assert said[f"inktop_board_wifi_signal_dbm{{{of_desk}}}"] == -61
    assert said[f"inktop_board_refresh_seconds{{{of_desk}}}"] == 0.171
    assert said[f'inktop_board_bad_lines_total{{{of_desk},kind="checksum"}}'] == 2
    assert said["inktop_memory_size_bytes"] > 2**36
    list(parse_openmetrics(page))
    status, kind, page = get(live, Accept="text/plain")
    assert (status, kind) == (200, CLASSIC)
    assert "# EOF" not in page
    list(parse_classic(page))


def test_a_page_is_written_once_for_each_line(live: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    web = live.server.web
    assert web is not None
    live.wait(lambda: live.server._lines > 0)
    written: List[int] = []
    true_page = web._page

    def counted(modern: bool) -> bytes:
        written.append(live.server._lines)
        return true_page(modern)

    monkeypatch.setattr(web, "_page", counted)
    for _ in range(60):
        get(live)
    # One for each line, and one that was begun before the next line and the first.
    assert len(written) <= len(set(written)) + 1


def test_head_has_no_body_and_other_requests_get_their_answer(live: LiveServer) -> None:
    live.wait(lambda: live.server._lines > 0)
    head = ask(live, b"HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert head.endswith(b"\r\n\r\n")
    assert int(re.search(rb"Content-Length: (\d+)", head)[1]) > 1000  # type: ignore[index]
    assert get(live, "/metrics?x=1")[0] == 200
    assert get(live, "http://127.0.0.1/metrics")[0] == 200
    assert get(live, "/")[0] == get(live, "/metrics/")[0] == 404
    said = ask(live, b"POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc")
    assert said.startswith(b"HTTP/1.1 405 ")
    assert b"\r\nAllow: GET, HEAD\r\n" in said
    for request, status in (
        (b"GET /metrics\r\n\r\n", 400),
        (b"\x00\xff\x16\x03\x01\r\n\r\n", 400),
        (b"\r\n\r\n", 400),
        (b"PRI * HTTP/2.0\r\n\r\n", 505),
        (b"GET /metrics HTTP/1.1\r\nX: " + b"x" * 5000, 431),
        (b"GET /metrics HTTP/1.0\n\n", 200),
    ):
        assert ask(live, request).startswith(b"HTTP/1.1 %d " % status), request


def test_slow_and_hostile_clients_are_ended_and_hold_up_no_line(
    live: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web_module, "REQUEST_WITHIN_S", 0.5)
    web = live.server.web
    assert web is not None
    board = live.board()
    board.snapshot()
    clients = []
    for number in range(40):
        client = socket.create_connection(("127.0.0.1", web.port), timeout=5)
        client.sendall(b"GET /metrics HTTP/1.1\r\n" if number % 2 else b"")
        clients.append(client)
    seen = board.snapshot()
    assert seen.host == "t7910"
    assert len(web.clients) <= web_module.MAX_CLIENTS
    assert get(live)[0] == 200  # the newest is served at once, the oldest gave way
    live.wait(lambda: not web.clients)
    assert all(client.recv(100) == b"" for client in clients if not reset(client))
    assert not live.logged("fault")
    for client in clients:
        client.close()


def reset(client: socket.socket) -> bool:
    try:
        return client.recv(1, socket.MSG_PEEK) != b""
    except ConnectionError:
        return True


def test_a_client_that_reads_nothing_is_ended(live: LiveServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web_module, "ANSWER_WITHIN_S", 0.3)
    web = live.server.web
    assert web is not None
    monkeypatch.setattr(web, "_page", lambda modern: b"x" * (16 << 20))
    with socket.create_connection(("127.0.0.1", web.port), timeout=5) as client:
        client.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        live.wait(lambda: bool(web.clients))
        live.wait(lambda: not web.clients)
    assert live.board().snapshot().host == "t7910"


def test_only_allowed_networks_are_served(tmp_path: Path) -> None:
    server = LiveServer(Machine(tmp_path), metrics=("127.0.0.1", 0), allow=("192.0.2.0/24",))
    try:
        with contextlib.suppress(ConnectionError):
            assert ask(server, b"GET /metrics HTTP/1.1\r\n\r\n") == b""
        server.wait(lambda: bool(server.logged("refused 127.0.0.1")))
    finally:
        server.stop()


# -- settings --


def test_a_setting_says_where_the_page_is() -> None:
    def where(text: str) -> Tuple[str, int]:
        return load({"metrics": text, "config": os.devnull}, {}).metrics

    assert load({"config": os.devnull}, {}).metrics == ("", 0)
    assert where("yes") == ("127.0.0.1", 9791)
    assert where("9800") == ("127.0.0.1", 9800)
    assert where("[::1]:9800") == ("::1", 9800)
    assert where("0.0.0.0:9800") == ("0.0.0.0", 9800)
    assert where("no") == ("", 0)
    for bad in ("maybe", "localhost:80", "127.0.0.1:99999", "::1", "127.0.0.1"):
        with pytest.raises(ConfigError, match="--metrics.*9791"):
            where(bad)


def test_a_port_that_is_taken_is_named_with_the_flag_that_sets_another(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        config = Machine(tmp_path).config(port=0, metrics=taken.getsockname())
        with pytest.raises(ListenError, match="--metrics ADDRESS:PORT takes another"):
            Server(config, lambda text: None)


def test_metrics_without_a_key_on_the_network_are_told_of(tmp_path: Path) -> None:
    server = LiveServer(Machine(tmp_path), metrics=("0.0.0.0", 0), key="correct horse battery staple")
    server.stop()
    assert server.logged("metrics need no key: all of `allow` can read them")


def test_a_collector_without_metrics_loads_nothing_of_them() -> None:
    program = (
        "import sys\nfrom inktop_collector.config import Config\n"
        "from inktop_collector.server.loop import Server\n"
        "Server(Config(port=0, announce=False, metrics=({!r}, 0)), print)\n"
        "print([name for name in sys.modules if 'metrics' in name or name == 'http'])"
    )
    for bind, loaded in (("", False), ("127.0.0.1", True)):
        done = subprocess.run(
            [sys.executable, "-c", program.format(bind)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert ("inktop_collector.metrics.web" in done.stdout) is loaded
        assert "'http'" not in done.stdout


# -- a real Prometheus --


def test_a_real_prometheus_scrapes_a_collector(tmp_path: Path) -> None:
    port, pages = free_port(), free_port()
    collector = subprocess.Popen(
        [sys.executable, "-m", "inktop_collector", "serve", "--bind", "127.0.0.1", "--port", str(port),
         "--no-announce", "--config", os.devnull, "--metrics", f"127.0.0.1:{pages}"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    try:
        with Prometheus(tmp_path, {"inktop": [f"127.0.0.1:{pages}"]}) as prometheus:
            prometheus.wait_for('up{job="inktop"} == 1 and on() inktop_lines_total > 0')
            said = prometheus.query("inktop_memory_size_bytes")
            total = int(re.search(r"MemTotal:\s+(\d+)", Path("/proc/meminfo").read_text())[1])  # type: ignore[index]
            assert float(said[0]["value"][1]) == pytest.approx(total * 1024, rel=0.001)
            # It knows the kinds and units only from OpenMetrics.
            assert prometheus.metadata("inktop_uptime_seconds") == {
                "type": "gauge",
                "help": "Time since the machine was started.",
                "unit": "seconds",
            }
            assert prometheus.metadata("inktop_collector")["type"] == "info"
    finally:
        collector.terminate()
        assert collector.wait(10) == 0
