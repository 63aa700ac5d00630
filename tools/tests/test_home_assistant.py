"""docs/metrics.md: a real Home Assistant reads a GPU's power off a page. Run by `make home-assistant`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from testkit.live import free_port
from testkit.recorded import Machine

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs/metrics.md").read_text(encoding="utf-8")
HASS = PROJECT / "build/home-assistant/bin/hass"
#: Its own log tells each state; without a user no other interface would.
LOGGER = "logger:\n  default: warning\n  logs:\n    homeassistant.core: debug\n"
WITHIN_S = 120.0


@pytest.mark.home_assistant
def test_the_configuration_for_home_assistant_reads_the_power_of_a_gpu(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine")
    files = {"vendor": "0x1002\n", "device": "0x7551\n", "gpu_busy_percent": "95\n"}
    machine.gpu("card0", "0000:03:00.0", files, {"name": "amdgpu\n", "power1_average": "209000000\n"})
    block = re.search(r"```yaml\n(rest:.*?)```", PAGE, re.DOTALL)
    assert block is not None
    page = free_port()
    text = block[1].replace("http://server:9791/", f"http://127.0.0.1:{page}/")
    assert text != block[1]
    config = tmp_path / "config"
    config.mkdir()
    (config / "configuration.yaml").write_text(LOGGER + text)
    serve = [sys.executable, "-m", "inktop_collector", "serve", "--bind", "127.0.0.1"]
    serve += ["--port", str(free_port()), "--no-announce", "--config", os.devnull]
    serve += ["--metrics", f"127.0.0.1:{page}"]
    serve += ["--procfs", str(machine.procfs), "--sysfs", str(machine.sysfs)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    collector = subprocess.Popen(serve, env=environment, stderr=subprocess.DEVNULL)
    log = tmp_path / "log"
    with log.open("wb") as out:
        home = subprocess.Popen([HASS, "-c", str(config)], stdout=out, stderr=subprocess.STDOUT)
    try:
        end = time.monotonic() + WITHIN_S
        while "new_state=<state sensor.gpu_0_power=209;" not in log.read_text(errors="replace"):
            assert home.poll() is None, log.read_text(errors="replace")[-4000:]
            assert time.monotonic() < end, log.read_text(errors="replace")[-4000:]
            time.sleep(0.2)
    finally:
        for process in (home, collector):
            process.terminate()
            process.wait(30)
