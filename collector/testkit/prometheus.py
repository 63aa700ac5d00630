"""A real Prometheus (Debian's package ``prometheus``) for a test, and what it says."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence
from urllib.parse import quote

from testkit.live import free_port


def program(name: str) -> str:
    """Where it is. A test without it fails: `make test` installs it."""
    found = shutil.which(name)
    package = "prometheus" if name == "promtool" else name
    assert found, f"{name} is missing: sudo apt-get install {package}"
    return found


def promtool() -> str:
    """Prometheus' own checker."""
    return program("promtool")


def wait_ready(url: str, process: subprocess.Popen[bytes], log: Path, seconds: float = 30.0) -> None:
    """Waits until a page is there; fails with the end of the log."""
    end = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(url, timeout=2).read()
            return
        except OSError:
            said = log.read_text(errors="replace")[-2000:]
            assert process.poll() is None, said
            assert time.monotonic() < end, said
            time.sleep(0.05)


class Prometheus:
    """Scrapes targets every second into a folder, from ``with`` on to its end."""

    #: The page that is there once it can be asked.
    ready = "-/ready"

    def __init__(
        self,
        folder: Path,
        jobs: Mapping[str, Sequence[object]],
        interval_s: float = 1.0,
        data: Optional[Path] = None,
    ) -> None:
        """``jobs``: targets (addresses, or with labels); ``data``: a database that is there already."""
        folder.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        scrapes = [
            {
                "job_name": job,
                "static_configs": [one if isinstance(one, dict) else {"targets": [one]} for one in targets],
            }
            for job, targets in jobs.items()
        ]
        every = f"{int(interval_s * 1000)}ms"
        # YAML takes JSON.
        settings = {
            "global": {"scrape_interval": every, "scrape_timeout": every},
            "scrape_configs": scrapes,
        }
        self._config = folder / "prometheus.yml"
        self._config.write_text(json.dumps(settings))
        self._data = data or folder / "data"
        self._log = folder / "prometheus.log"
        self.process: Optional[subprocess.Popen[bytes]] = None

    def start(self) -> None:
        """Starts it, or starts it once more."""
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log)
        wait_ready(f"{self.url}/{self.ready}", self.process, self._log)

    def command(self) -> List[str]:
        """What is run."""
        return [
            program("prometheus"),
            f"--config.file={self._config}",
            f"--storage.tsdb.path={self._data}",
            f"--web.listen-address=127.0.0.1:{self.port}",
        ]

    def stop(self) -> None:
        """Ends it at once."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def __enter__(self) -> Prometheus:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def query(self, text: str) -> List[Dict[str, Any]]:
        """The result of an instant query."""
        page = urllib.request.urlopen(f"{self.url}/api/v1/query?query={quote(text)}", timeout=30).read()
        found: List[Dict[str, Any]] = json.loads(page)["data"]["result"]
        return found

    def metadata(self, metric: str) -> Dict[str, str]:
        """Kind, help and unit, as the scraped page said."""
        page = urllib.request.urlopen(f"{self.url}/api/v1/metadata?metric={metric}", timeout=30).read()
        found: Dict[str, str] = json.loads(page)["data"][metric][0]
        return found

    def wait_for(self, text: str, seconds: float = 30.0) -> None:
        """Waits until a query has a result."""
        end = time.monotonic() + seconds
        while not self.query(text):
            assert time.monotonic() < end, f"waited in vain for {text}"
            time.sleep(0.1)


class VictoriaMetrics(Prometheus):
    """The same of a VictoriaMetrics (Debian's package ``victoria-metrics``)."""

    ready = "health"

    def command(self) -> List[str]:
        """What is run."""
        return [
            program("victoria-metrics"),
            f"-promscrape.config={self._config}",
            f"-storageDataPath={self._data}",
            f"-httpListenAddr=127.0.0.1:{self.port}",
            "-search.latencyOffset=0s",
        ]
