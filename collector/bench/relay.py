"""What the relay costs with 8 and with 500 made machines behind a real Prometheus: memory and CPU."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List, Tuple

ROOM = Path(__file__).resolve().parent.parent
# In place of this folder, in which bench.py would be all of `bench`.
sys.path[:1] = [str(ROOM), str(ROOM.parent / "protocol")]

from bench.measuring import BARE, connect, cpu_s, finish, resident_kib, say  # noqa: E402
from inktop_protocol import Fleet, UpOf  # noqa: E402
from inktop_protocol.decode import decode  # noqa: E402
from testkit.live import Client  # noqa: E402
from testkit.prometheus import Prometheus  # noqa: E402
from testkit.rack import Rack  # noqa: E402

ARCHIVE = ROOM.parent / "dist" / "inktop-collector.pyz"
#: One small process: with every machine on a port of its own as well.
LIMIT_MIB = {8: 32, 500: 48}
MEASURED_S = 20.0
#: The ports after it are needed, too: below those that the system gives to others.
BASE_PORT = 21910


def told(port: int, machines: int) -> None:
    """Fails unless the fleet line knows all machines and their GPUs by now."""
    client = Client(port)
    client.hello()
    everything = UpOf(machines, machines), UpOf(8 * machines, 8 * machines)
    for _ in range(90):
        line = decode(client.line() or b"")
        if isinstance(line, Fleet) and (line.machines, line.gpus) == everything:
            break
    else:
        raise AssertionError(f"the fleet is not known: {line}")
    client.close()


def measure(machines: int, hosts: List[str]) -> Tuple[int, float, float]:
    """(resident KiB, CPU of the relay, CPU of Prometheus; both in ms a second), a round every 5 s."""
    rack = Rack(machines, gpus=8)
    # A rack is scraped every 15 s, as most are.
    every_s = 15.0 if machines > 50 else 5.0
    with (
        tempfile.TemporaryDirectory() as folder,
        Prometheus(Path(folder), rack.jobs(), every_s) as prometheus,
    ):
        prometheus.wait_for(f"count(up == 1) == {2 * machines}", 120)
        prometheus.wait_for("count(rate(node_cpu_seconds_total[2m])) > 0", 120)
        port = BASE_PORT
        flags = ["--bind", "127.0.0.1", "--port", str(port), "--no-announce", "--config", "/dev/null"]
        flags += ["--state-dir", folder, "--runtime-dir", folder, "--engine", prometheus.url]
        flags += ["--hosts", ",".join(hosts)]
        relay = subprocess.Popen([*BARE, str(ARCHIVE), "relay", *flags], stderr=subprocess.DEVNULL)
        try:
            connect(port).close()
            time.sleep(12)
            told(port, machines)
            assert prometheus.process is not None
            pids = (relay.pid, prometheus.process.pid)
            before = [cpu_s(pid) for pid in pids]
            time.sleep(MEASURED_S)
            used = [(cpu_s(pid) - start) / MEASURED_S * 1000 for pid, start in zip(pids, before)]
            return resident_kib(relay.pid), used[0], used[1]
        finally:
            relay.kill()
            relay.wait()
            rack.close()


def main() -> int:
    """Three sizes; the exit code is 1 when one takes too much memory."""
    for machines, chosen in ((8, 8), (500, 8), (500, 500)):
        names = [f"node{number}" for number in range(chosen)]
        kib, relay_ms, engine_ms = measure(machines, names)
        limit = LIMIT_MIB[chosen]
        name = f"relay, {machines} machines of 8 GPUs, {chosen} with a port, resident"
        beside = f"a second takes {relay_ms:.0f} ms of the relay's CPU, {engine_ms:.0f} ms of Prometheus'"
        say(name, f"{kib / 1024:.1f} MiB", f"<= {limit} MiB", kib <= limit << 10, beside)
    return finish("relay")


if __name__ == "__main__":
    sys.exit(main())
