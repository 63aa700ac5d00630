"""The connections: a line a second to everybody, and nobody who can spoil it."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import socket
import struct
import time
from pathlib import Path
from typing import Iterator, List, Tuple

import pytest
from inktop_collector import boards
from inktop_collector.config import Config
from inktop_collector.log import LogLimit
from inktop_collector.preflight import missing
from inktop_collector.server import connection as connection_module
from inktop_collector.server import places as places_module
from inktop_collector.server import port as port_module
from inktop_collector.server.connection import MAX_QUEUE, Connection
from inktop_collector.server.listener import ListenError
from inktop_collector.server.loop import Server
from inktop_collector.server.places import MAX_BOARDS, MAX_STRANGERS_OF_HOST
from inktop_collector.status import COLUMNS, read_status, start_ticks
from inktop_protocol import (
    Ack,
    Assignment,
    Count,
    Event,
    Health,
    Hello,
    Refusal,
    SettingsLine,
    Snapshot,
    encode_ack,
    encode_health,
    encode_hello,
    encode_settings,
)
from inktop_protocol.decode import decode
from testkit.live import INTERVAL_S, Client, LiveServer, open_files, threads, wait
from testkit.recorded import Machine

KEY = "correct horse battery staple"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "machine")
    files = {"gpu_busy_percent": "50\n", "mem_info_vram_total": "8589934592\n"}
    machine.gpu("card0", "0000:03:00.0", files, {"name": "amdgpu\n", "temp1_input": "50000\n"})
    return machine


@pytest.fixture
def live(machine: Machine) -> Iterator[LiveServer]:
    live = LiveServer(machine)
    yield live
    live.stop()


def times(client: Client, count: int) -> List[float]:
    found = []
    for _ in range(count):
        client.snapshot()
        found.append(time.monotonic())
    return found


def test_the_server_speaks_first_and_lines_follow(live: LiveServer) -> None:
    client = live.board()
    info = client.info()
    assert info.cpu_model == "E5-2683 v4"
    assert info.nonce is None
    snapshot = client.snapshot()
    assert (snapshot.host, snapshot.address, snapshot.uptime_s) == ("t7910", "127.0.0.1", 1051200)
    assert snapshot.gpus[0].busy_percent == 50


def test_a_connect_a_hello_and_a_loss_are_one_log_line_each(live: LiveServer) -> None:
    client = live.board("desk")
    client.snapshot()
    live.wait(lambda: len(live.logged("hello: desk")) == 1)
    client.close()
    live.wait(lambda: len(live.logged("lost: desk")) == 1)
    assert len(live.logged("connected: 127.0.0.1")) == 1
    assert len(live.log) == 4  # with "listening"


def test_every_board_gets_the_same_line(live: LiveServer) -> None:
    clients = [live.board(f"board{n}") for n in range(3)]
    lines = []
    for client in clients:
        client.info()
        lines.append({client.line() for _ in range(5)})
    assert lines[0] & lines[1] & lines[2]


def test_a_new_info_line_comes_once_a_minute(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_module, "INFO_EVERY_S", 0.35)
    live = LiveServer(machine)
    client = live.board()
    kinds = [(client.line() or b"").startswith(b"info=") for _ in range(14)]
    live.stop()
    assert 2 <= sum(kinds[1:]) <= 5


def test_lines_keep_to_their_grid(live: LiveServer) -> None:
    client = live.board()
    client.snapshot()
    seen = times(client, 40)
    start = seen[0]
    # Measured against the grid and not from line to line: an error of 10 ms each would add up to 0.4 s.
    assert all(abs(at - start - n * INTERVAL_S) < 0.25 for n, at in enumerate(seen))


def test_a_slow_source_does_not_shift_the_grid(machine: Machine) -> None:
    live = LiveServer(machine, interval=0.2)
    reader = live.server.sampler.system.reader
    read = reader._read

    def slow() -> object:
        time.sleep(0.12)
        return read()

    reader._read = slow
    client = live.board()
    client.snapshot()
    seen = times(client, 12)
    live.stop()
    assert abs(seen[-1] - seen[0] - 11 * 0.2) < 0.35


def test_a_card_that_hangs_does_not_hold_the_line(machine: Machine) -> None:
    """Pitfall C6: the board cuts a server that is silent for 12 s. The read is of a pipe nobody writes."""
    path = machine.sysfs / "devices/pci0000:00/0000:03:00.0/gpu_busy_percent"
    live = LiveServer(machine)
    client = live.board()
    assert client.snapshot().gpus[0].state == "ok"
    path.unlink()
    os.mkfifo(path)
    end = time.monotonic() + 3.6
    last, longest = time.monotonic(), 0.0
    snapshot = client.snapshot()
    while time.monotonic() < end:
        snapshot = client.snapshot()
        longest, last = max(longest, time.monotonic() - last), time.monotonic()
    assert longest < 0.5
    assert snapshot.gpus[0].state == "stale"
    assert snapshot.gpus[0].busy_percent is None
    assert snapshot.memory is not None
    assert snapshot.memory.used_milligib == 6900
    live.stop()
    # The port is free at once, although a thread still hangs.
    with socket.socket() as again:
        again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # for what is left of the connections
        again.bind(("127.0.0.1", live.port))
        again.listen()
    with path.open("w") as pipe:
        pipe.write("1\n")


def test_memory_that_hangs_is_unknown_alone_and_the_line_still_goes_out(machine: Machine) -> None:
    path = machine.procfs / "meminfo"
    live = LiveServer(machine)
    client = live.board()
    before = client.snapshot()
    path.unlink()
    os.mkfifo(path)
    end = time.monotonic() + 3.5
    while time.monotonic() < end:
        snapshot = client.snapshot()
    assert snapshot.memory is not None
    assert snapshot.memory.used_milligib is None
    assert snapshot.uptime_s == before.uptime_s == 1051200
    assert snapshot.load_centi == (52, 40, 31)
    assert snapshot.gpus[0].busy_percent == 50
    live.stop()
    with path.open("w") as pipe:
        pipe.write("MemTotal: 1 kB\n")


@pytest.mark.parametrize(
    "name", ["stat", "meminfo", "cpuinfo", "mounts", "spl/kstat/zfs/arcstats", "net/dev"]
)
def test_a_file_that_hangs_from_the_start_does_not_keep_the_server_from_starting(
    machine: Machine, name: str
) -> None:
    path = machine.procfs / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    if name == "mounts":
        machine.proc("spl/kstat/zfs/arcstats", "size 4 0\n")
    os.mkfifo(path)
    assert missing(machine.roots()) is None
    live = LiveServer(machine)
    client = live.board()
    client.info()
    assert client.snapshot().gpus[0].busy_percent == 50
    live.stop()


def test_a_board_that_was_busy_loses_nothing_within_two_minutes(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads nothing for as long as 110 lines take: they all are there afterwards."""
    monkeypatch.setattr(connection_module, "SEND_BUFFER_BYTES", 2048)
    live = LiveServer(machine, interval=0.03)
    client = live.board(receive_bytes=2048)
    client.snapshot()
    board = next(iter(live.server.boards.values()))
    live.wait(lambda: len(board.queue) >= 20, 12)
    waiting = len(board.queue)
    lines = [client.snapshot() for _ in range(waiting + 5)]
    assert all(isinstance(line, Snapshot) for line in lines)
    assert board.dropped == 0
    live.stop()


def test_a_board_that_reads_nothing_keeps_the_newest_lines_and_blocks_nobody(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "SEND_BUFFER_BYTES", 2048)
    monkeypatch.setattr(connection_module, "MAX_QUEUE", 10)
    live = LiveServer(machine, interval=0.03)
    dead = live.board("dead", receive_bytes=2048)
    good = live.board("good")
    good.snapshot()
    live.wait(lambda: any(b.dropped > 5 for b in live.server.boards.values()), 20)
    seen = times(good, 6)
    assert seen[-1] - seen[0] < 0.8
    stuck = next(b for b in live.server.boards.values() if b.hello and b.hello.board == "dead")
    assert len(stuck.queue) <= 10
    # What it reads at last is whole lines, the oldest ones missing.
    for _ in range(10):
        decode(dead.line() or b"")
    live.stop()


def connected() -> Tuple[Connection, socket.socket]:
    """A connection without a server around it, and its client."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = socket.create_connection(listening.getsockname())
        accepted, where = listening.accept()
    return Connection(accepted, where, "", LogLimit(print), 0.0), client


def test_the_queue_drops_the_oldest_and_counts(machine: Machine) -> None:
    board, there = connected()
    for number in range(MAX_QUEUE + 7):
        board.put(b"%d\n" % number)
    assert (len(board.queue), board.queue[0], board.dropped) == (MAX_QUEUE, b"7\n", 7)
    there.close()
    board.socket.close()


def test_a_line_that_was_begun_is_finished_whatever_is_dropped() -> None:
    board, there = connected()
    board.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4608)
    sent = 0
    while not board.flush(0.0):
        board.put(b"%06d" % sent + b"x" * 993 + b"\n")
        sent += 1
    for number in range(sent, sent + 500):
        board.put(b"%06d" % number + b"x" * 993 + b"\n")
    received = b""
    there.setblocking(False)
    while board.rest or board.queue:
        board.flush(0.0)
        try:
            received += there.recv(65536)
        except BlockingIOError:
            continue
    with contextlib.suppress(BlockingIOError):
        received += there.recv(1 << 20)
    lines = received.split(b"\n")
    assert lines.pop() == b""
    assert all(len(line) == 999 for line in lines)
    numbers = [int(line[:6]) for line in lines]
    assert numbers == sorted(numbers)
    assert numbers[-1] == sent + 499
    board.socket.close()
    there.close()


# -- who may connect --


def test_with_a_key_no_line_leaves_before_the_right_hello(machine: Machine) -> None:
    live = LiveServer(machine, key=KEY)
    stranger = live.board(hello=False)
    assert stranger.info().nonce is not None
    stranger.socket.settimeout(0.5)
    with pytest.raises(socket.timeout):
        stranger.line()
    friend = live.board(key=KEY)
    assert friend.snapshot().host == "t7910"
    live.stop()


def lost_and_acknowledged(machine: Machine, live: LiveServer, key: str = "") -> Client:
    """A board that has seen a lost card and acknowledged it."""
    client = live.board(key=key)
    client.snapshot()
    machine.remove("class/drm/card0")
    wait(lambda: len(client.snapshot().events) == 1)
    client.socket.sendall(encode_ack(Ack("desk", client.snapshot().events)))
    return client


def test_with_a_key_a_board_acknowledges_for_all(machine: Machine) -> None:
    live = LiveServer(machine, key=KEY)
    other = live.board("kitchen", key=KEY)
    client = lost_and_acknowledged(machine, live, KEY)
    wait(lambda: client.snapshot().events == ())
    wait(lambda: len(other.snapshot().events) == 1)
    wait(lambda: other.snapshot().events == ())
    assert all(gpu.state != "lost" for gpu in other.snapshot().gpus)
    assert len(live.logged("acknowledged on desk (127.0.0.1:")) == 1
    live.stop()


def test_without_a_key_a_board_acknowledges_only_where_it_may(machine: Machine) -> None:
    live = LiveServer(machine)
    client = lost_and_acknowledged(machine, live)
    live.wait(lambda: len(live.logged("is ignored: set a key, or board_ack = yes")) == 1)
    assert len(client.snapshot().events) == 1
    live.stop()


def test_a_board_that_may_needs_no_key(machine: Machine) -> None:
    live = LiveServer(machine, board_ack=True)
    client = lost_and_acknowledged(machine, live)
    wait(lambda: client.snapshot().events == ())
    live.stop()


def test_an_event_that_the_board_has_not_named_stays(machine: Machine) -> None:
    live = LiveServer(machine, board_ack=True)
    client = live.board()
    client.snapshot()
    machine.remove("class/drm/card0")
    wait(lambda: len(client.snapshot().events) == 1)
    client.socket.sendall(encode_ack(Ack("desk", (Event("mem", "oom", "12:13:05"),))))
    live.wait(lambda: len(live.logged("acknowledged on desk")) == 1)
    assert [gpu.state for gpu in client.snapshot().gpus][0] == "lost"
    assert len(client.snapshot().events) == 1
    live.stop()


def test_a_wrong_key_ends_the_connection_with_one_log_line(machine: Machine) -> None:
    live = LiveServer(machine, key=KEY)
    assert live.board(key=KEY + "!").ended()
    assert live.board(hello=True).ended()  # no mac at all
    live.wait(lambda: len(live.logged("wrong key")) == 2)
    live.stop()


def test_an_old_answer_does_not_fit_a_new_nonce(machine: Machine) -> None:
    live = LiveServer(machine, key=KEY)
    first, second = Client(live.port), Client(live.port)
    nonces = first.info().nonce, second.info().nonce
    assert nonces[0] != nonces[1]
    second.hello(key=KEY, nonce=nonces[0] or "")
    assert second.ended()
    live.stop()


def test_an_address_outside_the_networks_is_refused(machine: Machine) -> None:
    live = LiveServer(machine, allow=("10.0.0.0/8",))
    assert live.board(hello=False).ended()
    live.wait(lambda: len(live.logged("refused 127.0.0.1")) == 1)
    live.stop()


def test_a_hello_too_late_ends_the_connection(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(port_module, "HELLO_WITHIN_S", 0.3)
    live = LiveServer(machine, interval=1.0)
    started = time.monotonic()
    assert live.board(hello=False).ended()
    assert 0.25 < time.monotonic() - started < 0.95
    live.stop()


@pytest.mark.parametrize(
    "text",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\n",
        b"\0\xff\xfe\n",
        b"hello=1|id=desk|fw=1*0000\n",
        b"health=1|id=desk*B8A5\n",
        b"x" * 256,
        b"x" * 300 + b"\n",
        b"y" * 100_000,
    ],
)
def test_whatever_is_no_hello_ends_the_connection(live: LiveServer, text: bytes) -> None:
    client = live.board(hello=False)
    try:
        client.socket.sendall(text)
    except ConnectionError:
        return
    assert client.ended()


def test_a_hello_in_pieces_is_a_hello(live: LiveServer) -> None:
    client = live.board(hello=False)
    for byte in b"hello=1|id=slow|fw=1.0*8C10\n".replace(b"8C10", _crc(b"hello=1|id=slow|fw=1.0")):
        client.socket.sendall(bytes([byte]))
        time.sleep(0.005)
    live.wait(lambda: len(live.logged("hello: slow")) == 1)


def _crc(data: bytes) -> bytes:
    import binascii

    return b"%04X" % binascii.crc_hqx(data, 0xFFFF)


def test_more_than_4_kib_a_second_ends_the_connection(live: LiveServer) -> None:
    client = live.board()
    client.snapshot()
    line = b"noise=1*" + _crc(b"noise=1") + b"\n"
    try:
        for _ in range(200):
            client.socket.sendall(line * 20)
    except ConnectionError:
        pass
    assert client.ended()
    live.wait(lambda: bool(live.logged("bytes a second")))


def test_bad_lines_after_the_hello_are_counted_and_no_more(live: LiveServer) -> None:
    client = live.board()
    client.socket.sendall(b"garbage\n" * 10 + b"z" * 1500 + b"\n")
    live.wait(lambda: any(board.bad == 11 for board in live.server.boards.values()))
    assert client.snapshot().host == "t7910"


def test_sixteen_boards_and_no_more(live: LiveServer) -> None:
    clients = [live.board(f"b{n}") for n in range(MAX_BOARDS)]
    for client in clients:
        client.snapshot()
    assert live.board("late").ended()
    live.wait(lambda: bool(live.logged("16 boards are connected already")))
    clients[0].close()
    live.wait(lambda: len(live.server.boards) == MAX_BOARDS - 1)
    assert live.board("late").snapshot().host == "t7910"


def test_a_stuck_connection_gives_way_when_all_places_are_taken(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A board that lost its power without a word, many times over, must not fill the server."""
    monkeypatch.setattr(connection_module, "SEND_BUFFER_BYTES", 2048)
    monkeypatch.setattr(places_module, "STUCK_S", 0.2)
    monkeypatch.setattr("inktop_collector.server.port.MAX_BOARDS", 2)
    live = LiveServer(machine, interval=0.03)
    stuck = live.board("stuck", receive_bytes=2048)
    good = live.board("good")
    good.snapshot()
    board = next(iter(live.server.boards.values()))
    live.wait(lambda: bool(board.queue) and time.monotonic() - board.progress_at > 0.3, 15)
    assert live.board("new").snapshot().host == "t7910"
    assert good.snapshot().host == "t7910"
    live.stop()
    stuck.close()


def test_a_board_that_connects_again_takes_its_own_place(live: LiveServer) -> None:
    old = live.board("desk")
    old.snapshot()
    new = live.board("desk")
    assert old.ended()
    assert new.snapshot().host == "t7910"
    assert live.logged("connected again")


@pytest.mark.parametrize("key", ["", KEY])
def test_silent_strangers_take_no_board_s_place(machine: Machine, key: str) -> None:
    live = LiveServer(machine, key=key)
    strangers = [live.board(hello=False) for _ in range(3 * MAX_BOARDS)]
    boards = [live.board(f"b{n}", key=key) for n in range(MAX_BOARDS)]
    for board in boards:
        assert board.snapshot().host == "t7910"
    live.stop()
    for stranger in strangers:
        stranger.close()


def pushed_out(live: LiveServer) -> List[str]:
    """What the log says of strangers that had to go for newer ones; a late hello has another reason."""
    return live.logged("a newer connection needed the room")


def test_of_the_strangers_of_one_host_the_oldest_goes_first(live: LiveServer) -> None:
    strangers = [live.board(hello=False) for _ in range(MAX_STRANGERS_OF_HOST + 1)]
    live.wait(lambda: bool(pushed_out(live)))
    assert strangers[0].ended()
    assert len(live.server.boards) == MAX_STRANGERS_OF_HOST
    strangers[1].hello("late")
    live.wait(lambda: bool(live.logged("hello: late")))
    assert len(pushed_out(live)) == 1


def test_the_strangers_of_one_host_leave_room_for_those_of_others(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places_module, "MAX_STRANGERS_OF_HOST", 2)
    live = LiveServer(machine, bind="0.0.0.0")
    monkeypatch.setattr(places_module, "MAX_STRANGERS", 3)
    other = Client(live.port, source="127.0.0.2")
    other.info()
    # More than the whole pool holds: were they not cut down to their own share, the other would go.
    crowd = [live.board(hello=False) for _ in range(10)]
    for stranger in crowd:
        stranger.info()
    live.wait(lambda: len(live.server.boards) == 3)
    other.hello("other")
    assert other.snapshot().host == "t7910"
    assert live.logged("hello: other")
    live.stop()


def test_the_pool_of_strangers_is_small_whatever_hosts_they_come_from(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places_module, "MAX_STRANGERS", 3)
    live = LiveServer(machine, bind="0.0.0.0")
    strangers = [Client(live.port, source=f"127.0.0.{n}") for n in range(2, 7)]
    live.wait(lambda: len(pushed_out(live)) == 2)
    assert strangers[0].ended()
    assert strangers[1].ended()
    assert len(live.server.boards) == 3
    live.stop()


def test_a_board_whose_hello_waits_to_be_read_is_not_pushed_out(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places_module, "MAX_STRANGERS_OF_HOST", 1)
    live = LiveServer(machine)
    boards = [live.board(f"b{n}") for n in range(5)]
    for board in boards:
        assert board.snapshot().host == "t7910"
    live.wait(lambda: len(live.logged("hello: b")) == 5)
    live.stop()


def test_a_board_that_comes_again_has_its_place_although_all_are_taken(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inktop_collector.server.port.MAX_BOARDS", 2)
    live = LiveServer(machine)
    first, _second = live.board("first"), live.board("second")
    first.snapshot()
    live.wait(lambda: len(live.logged("hello: ")) == 2)
    again = live.board("first")
    assert first.ended()
    assert again.snapshot().host == "t7910"
    live.wait(lambda: len(live.logged("hello: first")) == 2)
    live.stop()


def test_a_long_health_line_in_the_segment_of_the_hello_is_taken(live: LiveServer) -> None:
    client = live.board(hello=False)
    kinds = tuple(Count("abcdefghijkl"[n:] or "m", 4294967295) for n in range(12))
    health = encode_health(Health("desk", 1, 2, 3, -61, 4, 5, kinds, 6, kinds, 7))
    assert len(health) > 256
    client.socket.sendall(encode_hello(Hello("desk", "0.1.0", "1920x1080", 17, "poweron")) + health)
    live.wait(lambda: any(board.health is not None for board in live.server.boards.values()))
    assert [board.bad for board in live.server.boards.values()] == [0]


def test_two_hundred_connects_a_second_spoil_nothing(live: LiveServer) -> None:
    good = live.board("good")
    good.snapshot()
    before, files, running = live.server.port, open_files(), threads()
    end = time.monotonic() + 2.0
    seen = []
    count = 0
    while time.monotonic() < end:
        for _ in range(20):
            with socket.socket() as quick:
                quick.connect(("127.0.0.1", before))
                if count % 3 == 0:
                    # Ends with a reset instead of a farewell.
                    quick.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                count += 1
        good.snapshot()
        seen.append(time.monotonic())
    assert count >= 200
    assert max(b - a for a, b in zip(seen, seen[1:])) < 0.5
    live.wait(lambda: len(live.server.boards) == 1)
    assert open_files() <= files + 2
    assert threads() == running
    # The log is not flooded either.
    assert len(live.log) < 60


def test_hostile_clients_of_every_kind_at_once(live: LiveServer) -> None:
    good = live.board("good")
    good.snapshot()
    chance = random.Random(7)
    hostile: List[Client] = []
    started = time.monotonic()
    seen = [started]
    while time.monotonic() - started < 3.0:
        kind = chance.randrange(5)
        try:
            client = live.board("h", hello=False)
            client.socket.settimeout(0.05)
            if kind == 0:
                client.socket.sendall(chance.randbytes(chance.randrange(2000)))
            elif kind == 1:
                client.socket.sendall(b"hello=1|id=")
            elif kind == 2:
                client.socket.sendall(b"\n" * chance.randrange(3000))
            elif kind == 3:
                client.hello(f"never{len(hostile)}")  # and reads nothing
            else:
                client.socket.shutdown(socket.SHUT_WR)  # half-open
            hostile.append(client)
        except OSError:
            pass
        while len(hostile) > 10:
            hostile.pop(0).close()
        good.snapshot()
        seen.append(time.monotonic())
    assert max(b - a for a, b in zip(seen, seen[1:])) < 0.5
    for client in hostile:
        client.close()
    live.wait(lambda: len(live.server.boards) == 1, 8)


# -- what is held for a board --


def settings_of(client: Client) -> SettingsLine:
    while True:
        line = decode(client.line() or b"")
        if isinstance(line, SettingsLine):
            return line


HELD = {"": {"wash": "900", "rotate": "180"}, "desk": {"wash": "600"}}


def test_a_board_gets_what_is_held_for_it_after_its_hello_and_with_each_info_line(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(port_module, "INFO_EVERY_S", 0.3)
    live = LiveServer(machine, boards=HELD)
    desk, wall = live.board("desk"), live.board("wall")
    for _ in range(2):
        assert [(v.name, v.value) for v in settings_of(desk).values] == [("wash", "600"), ("rotate", "180")]
        assert [(v.name, v.value) for v in settings_of(wall).values] == [("wash", "900"), ("rotate", "180")]
    live.stop()


def test_a_server_that_holds_nothing_says_so_and_a_stranger_is_told_nothing(live: LiveServer) -> None:
    assert settings_of(live.board("desk")) == SettingsLine()
    stranger = live.board(hello=False)
    lines = [stranger.line() or b"" for _ in range(5)]
    assert not any(line.startswith(b"settings") for line in lines)


def test_with_a_key_what_is_held_is_sealed_and_a_board_that_cannot_check_it_is_told_nothing(
    machine: Machine,
) -> None:
    live = LiveServer(machine, key=KEY, boards=HELD)
    client = live.board(hello=False)
    client.hello("desk", KEY, board_nonce="1" * 32)
    lines = [client.line() or b"" for _ in range(4)]
    assert client.stream is not None
    assert all(client.stream.opens(line) for line in lines)
    assert any(line.startswith(b"settings=1|set=wash:600,") for line in lines)
    old = live.board("old", key=KEY)
    assert not any((old.line() or b"").startswith(b"settings") for _ in range(5))
    live.stop()


def test_what_a_board_answers_is_in_the_status_and_a_refusal_is_logged_once(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("inktop_collector.status.STATUS_SOON_S", 0.1)
    live = LiveServer(machine, runtime_dir=str(tmp_path / "run"), boards=HELD)
    client = live.board("desk")
    values = (("wash", "600"), ("update", "5000"), ("rotate", "0"), ("quiet", "22:00-07:00"))
    answer = SettingsLine(
        "desk",
        tuple(Assignment(name, value) for name, value in values),
        "sohd",
        (Refusal("colour", "unknown"), Refusal("hot_spot", "value")),
    )
    for _ in range(3):
        client.socket.sendall(encode_settings(answer))

    def shown(as_json: bool = False) -> str:
        assert boards.boards(Config(runtime_dir=str(tmp_path / "run")), as_json) == 0
        return capsys.readouterr().out

    # The status file is there from the first line on.
    wait(lambda: (tmp_path / "run" / "status.tsv").exists())
    wait(lambda: "NOT TAKEN" in shown())
    text = shown()
    assert "  settings, from here: wash 600\n" in text
    assert "  settings, set on the board: update 5000\n" in text
    assert "  settings, held on the board: rotate 0\n" in text
    assert "  settings, default: quiet 22:00-07:00\n" in text
    assert "  NOT TAKEN: colour: its firmware does not know it\n" in text
    board = json.loads(shown(as_json=True))["boards"][0]
    assert board["settings"]["quiet"] == {"value": "22:00-07:00", "from": "default"}
    assert board["refused"] == {"colour": "unknown", "hot_spot": "value"}
    (logged,) = live.logged("settings: desk")
    assert "colour (its firmware does not know it), hot_spot (out of range)" in logged
    live.stop()


# -- what a board reports, and what a person asks --


def test_the_status_file_shows_boards_and_their_health(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inktop_collector.status.STATUS_SOON_S", 0.1)
    live = LiveServer(machine, runtime_dir=str(tmp_path / "run"))
    client = live.board("desk")
    client.snapshot()
    health = Health(
        "desk",
        86400,
        181200,
        3900112,
        -61,
        43012,
        17,
        (Count("lines", 1),),
        171,
        (Count("checksum", 2),),
        1733,
        65524,
        98304,
        9216,
        3072,
        8,
    )
    client.socket.sendall(encode_health(health))

    def row() -> dict[str, str]:
        status = read_status(str(tmp_path / "run"))
        return status.boards[0] if status and status.boards else {}

    wait(lambda: row().get("rssi") == "-61")
    assert row()["errors"] == "lines:1"
    assert [row()[name] for name in COLUMNS[-5:]] == ["65524", "98304", "9216", "3072", "8"]
    assert (row()["id"], row()["firmware"], row()["updates"]) == ("desk", "0.1.0", "43012")
    assert live.logged("health: desk")
    live.stop()
    assert read_status(str(tmp_path / "run")) is None


def status_file(folder: Path, age_s: int, **values: str) -> None:
    row = {**dict.fromkeys(COLUMNS, "-"), "id": "desk", **values}
    written = int(time.time()) - age_s
    head = ["collector", str(os.getpid()), start_ticks(os.getpid()), "7910", str(written)]
    lines = ["\t".join(head), "\t".join(["board", *row.values()])]
    (folder / "status.tsv").write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("age_s", [0, 40])
def test_what_the_status_file_says_ages_with_it(tmp_path: Path, age_s: int) -> None:
    """It is written every 30 s: a board connected for 100 s then is connected for longer now."""
    status_file(tmp_path, age_s, connected_s="100", health_s="7", uptime_s="5", sent="9")
    status = read_status(str(tmp_path))
    assert status is not None
    (board,) = status.boards
    assert int(board["connected_s"]) - 100 - age_s in (0, 1)
    assert int(board["health_s"]) - 7 - age_s in (0, 1)
    assert (board["uptime_s"], board["sent"]) == ("5", "9")


def test_a_board_without_health_has_none_however_old_the_file_is(tmp_path: Path) -> None:
    status_file(tmp_path, 40, connected_s="100")
    status = read_status(str(tmp_path))
    assert status is not None
    assert status.boards[0]["health_s"] == "-"


def test_a_clock_that_was_set_back_makes_nobody_younger(tmp_path: Path) -> None:
    status_file(tmp_path, -500, connected_s="100")
    status = read_status(str(tmp_path))
    assert status is not None
    assert status.boards[0]["connected_s"] == "100"


def memory_words(folder: Path, capsys: pytest.CaptureFixture[str], **values: str) -> str:
    status_file(folder, 0, health_s="7", uptime_s="5", **values)
    assert boards.boards(Config(runtime_dir=str(folder))) == 0
    return capsys.readouterr().out


def test_boards_alarms_about_memory_below_a_floor_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    enough = {"block": "8192", "low": "16384", "main_stack": "1024", "network_stack": "1024"}
    words = memory_words(tmp_path, capsys, mhz="8", **enough)
    assert "clock 8 MHz" in words
    assert "largest free block 8192, lowest free memory 16384" in words
    assert "ALARM" not in words
    for column, value in enough.items():
        words = memory_words(tmp_path, capsys, **{**enough, column: str(int(value) - 1)})
        assert words.count("ALARM") == 1
        assert f"{int(value) - 1} bytes, it should be at least {value}: restart the board" in words


def test_boards_has_no_memory_line_for_a_board_that_tells_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "memory:" not in memory_words(tmp_path, capsys)


def test_systemd_is_told_ready_alive_and_stopping(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(path)
        systemd.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
        live = LiveServer(machine)
        said = [systemd.recv(200) for _ in range(5)]
        live.stop()
        assert said[0].startswith(b"READY=1")
        assert said[1:] == [b"WATCHDOG=1"] * 4
        while said[-1] != b"STOPPING=1":
            said.append(systemd.recv(200))


def test_the_watchdog_is_fed_while_sources_hang(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (machine.procfs / "loadavg").unlink()
    os.mkfifo(machine.procfs / "loadavg")
    path = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(path)
        systemd.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", path)
        live = LiveServer(machine)
        assert [systemd.recv(200) for _ in range(4)][1:] == [b"WATCHDOG=1"] * 3
        live.stop()
    with (machine.procfs / "loadavg").open("w") as pipe:
        pipe.write("0 0 0\n")


def test_a_dead_board_is_found_out_by_the_kernel(live: LiveServer) -> None:
    """wazuh/wazuh#38401: a board that lost its power sends no farewell."""
    client = live.board()
    client.snapshot()
    connection = next(iter(live.server.boards.values())).socket

    def option(name: str, level: int = socket.IPPROTO_TCP) -> int:
        value: int = connection.getsockopt(level, getattr(socket, name))
        return value

    assert [option(f"TCP_KEEP{name}") for name in ("IDLE", "INTVL", "CNT")] == [10, 5, 3]
    assert option("SO_KEEPALIVE", socket.SOL_SOCKET) == 1
    assert option("TCP_NODELAY") == 1
    assert option("TCP_USER_TIMEOUT") == 120_000


@pytest.mark.parametrize("error", [errno.EPIPE, errno.ECONNRESET, errno.ETIMEDOUT, errno.EHOSTUNREACH])
def test_a_send_that_fails_loses_that_board_alone(live: LiveServer, error: int) -> None:
    bad, good = live.board("bad"), live.board("good")
    bad.snapshot()
    good.snapshot()
    board = next(b for b in live.server.boards.values() if b.hello and b.hello.board == "bad")

    class Dead:
        def __init__(self, real: socket.socket) -> None:
            self.close = real.close

        def send(self, data: bytes) -> int:
            raise OSError(error, os.strerror(error))

    board.socket = Dead(board.socket)  # type: ignore[assignment]
    live.wait(lambda: len(live.logged("lost: bad")) == 1)
    assert os.strerror(error) in live.logged("lost: bad")[0]
    assert good.snapshot().host == "t7910"


def test_both_protocols_reach_the_server_and_see_their_own_address(machine: Machine) -> None:
    """rucio/rucio#2245: the address in the line is the one that the board reached."""
    live = LiveServer(machine, bind="::")
    addresses = {}
    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        try:
            probe = socket.create_connection((address, live.port), timeout=5)
        except OSError:
            continue  # a machine without IPv6
        assert probe.family == family
        probe.close()
        client = Client(live.port, address=address)
        client.hello(f"b{family}")
        addresses[address] = client.snapshot().address
    assert addresses["127.0.0.1"] == "127.0.0.1"
    assert all(key == value for key, value in addresses.items())
    live.stop()


def test_a_kernel_without_ipv6_serves_ipv4(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.socket

    def no_ipv6(family: int = -1, *more: int) -> socket.socket:
        if family == socket.AF_INET6:
            raise OSError(errno.EAFNOSUPPORT, "Address family not supported by protocol")
        return real(family, *more)

    monkeypatch.setattr(socket, "socket", no_ipv6)
    config = Config()
    config.port, config.announce = 0, False
    config.procfs, config.sysfs = str(machine.procfs), str(machine.sysfs)
    server = Server(config, lambda text: None)
    assert server.clients.listener.socket.family == socket.AF_INET
    server.close()


def test_a_taken_port_is_one_readable_error(live: LiveServer) -> None:
    config = live.server.config
    config.port = live.port
    with pytest.raises(ListenError, match="--port"):
        Server(config)


def test_the_log_of_strangers_is_limited() -> None:
    lines: List[str] = []
    limit = LogLimit(lines.append)
    for number in range(1000):
        limit(f"line {number}", 100.0 + number / 1000)
    assert len(lines) == 20
    limit.tick(111.0)
    assert lines[-1] == "980 more lines about connections left out"
    limit("again", 112.0)
    assert lines[-1] == "again"
