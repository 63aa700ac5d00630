"""Made machines behind a real Prometheus: pages as node_exporter and DCGM's exporter write them."""

from __future__ import annotations

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Dict, List, Set

GIB = 1 << 30


class Rack:
    """``count`` machines with ``gpus`` cards each, node0 …, scraped at one port under a path for each."""

    def __init__(self, count: int, gpus: int = 8) -> None:
        self.names = [f"node{number}" for number in range(count)]
        self.gpus = gpus
        #: Machines that do not answer, cards that are gone ("node1 3"), hot ones.
        self.down: Set[str] = set()
        self.gone: Set[str] = set()
        self.hot: Set[str] = set()
        self._started = time.time()
        rack = self

        class Pages(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # noqa: N802
                _, name, exporter = self.path.split("/")
                page = rack.node(name) if exporter == "node" else rack.dcgm(name)
                self.send_response(503 if name in rack.down else 200)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.end_headers()
                self.wfile.write(page.encode("ascii"))

            def log_message(self, format: str, *args: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def jobs(self) -> Dict[str, List[Dict[str, object]]]:
        """For a Prometheus."""
        target = f"127.0.0.1:{self._server.server_address[1]}"
        return {
            exporter: [
                {
                    "targets": [target],
                    "labels": {"instance": f"{name}:{port}", "__metrics_path__": f"/{name}/{exporter}"},
                }
                for name in self.names
            ]
            for exporter, port in (("node", 9100), ("dcgm", 9400))
        }

    def node(self, name: str) -> str:
        """The page of a machine: half busy, a quarter of its memory in use."""
        seconds = time.time() - self._started
        rows = [
            f"node_time_seconds {time.time()}",
            f"node_boot_time_seconds {self._started - 86400}",
            "node_load1 1.5",
            "node_load5 1.25",
            "node_load15 1",
            f"node_memory_MemTotal_bytes {512 * GIB}",
            f"node_memory_MemAvailable_bytes {384 * GIB}",
            f"node_memory_Cached_bytes {64 * GIB}",
            "node_memory_Buffers_bytes 0",
            f'node_filesystem_size_bytes{{device="/dev/sda1",fstype="ext4",mountpoint="/"}} {100 * GIB}',
            f'node_filesystem_free_bytes{{device="/dev/sda1",fstype="ext4",mountpoint="/"}} {60 * GIB}',
            f'node_filesystem_avail_bytes{{device="/dev/sda1",fstype="ext4",mountpoint="/"}} {50 * GIB}',
            f'node_network_receive_bytes_total{{device="eno1"}} {int(seconds * 1e6)}',
            f'node_network_transmit_bytes_total{{device="eno1"}} {int(seconds * 5e5)}',
            f'node_network_receive_bytes_total{{device="lo"}} {int(seconds * 1e9)}',
        ]
        for cpu in range(4):
            for mode, share in (("idle", 0.5), ("user", 0.5), ("iowait", 0.0)):
                rows.append(f'node_cpu_seconds_total{{cpu="{cpu}",mode="{mode}"}} {seconds * share:.3f}')
        return "\n".join(rows) + "\n"

    def dcgm(self, name: str) -> str:
        """The page of its cards: number N is N % busy and draws 100 + N W."""
        rows = []
        for gpu in range(self.gpus):
            card = f"{name} {gpu}"
            if card in self.gone:
                continue
            labels = f'{{gpu="{gpu}",UUID="GPU-{name}-{gpu}",modelName="NVIDIA H100 80GB HBM3"}}'
            for metric, value in (
                ("GPU_UTIL", gpu),
                ("GPU_TEMP", 101 if card in self.hot else 50 + gpu),
                ("MEMORY_TEMP", 60),
                ("POWER_USAGE", 100 + gpu),
                ("FB_USED", 1000),
                ("FB_FREE", 80000),
                ("SM_CLOCK", 1980),
                ("MEM_CLOCK", 2619),
            ):
                rows.append(f"DCGM_FI_DEV_{metric}{labels} {value}")
        return "\n".join(rows) + "\n"

    def close(self) -> None:
        """Ends the pages."""
        self._server.shutdown()
        self._server.server_close()
