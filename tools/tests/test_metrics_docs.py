"""docs/metrics.md: the configuration for Prometheus is run, and the names are those of the page."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from inktop_collector.metrics import rows
from inktop_collector.relay import page as relay
from inktop_collector.relay.mapping import MEMBERS
from testkit.prometheus import promtool

PAGE = (Path(__file__).resolve().parents[2] / "docs/metrics.md").read_text(encoding="utf-8")


def test_the_configuration_for_prometheus_is_one(tmp_path: Path) -> None:
    block = re.search(r"```yaml\n(scrape_configs:.*?)```", PAGE, re.DOTALL)
    assert block is not None
    path = tmp_path / "prometheus.yml"
    path.write_text(block[1])
    done = subprocess.run([promtool(), "check", "config", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr + done.stdout


def test_every_name_of_the_page_and_every_value_of_the_relay_is_in_it() -> None:
    groups = (rows.MACHINE, *rows.GROUPS, rows.GPU_FACTS, rows.BOARD, rows.HEALTH, relay.FLEET, *relay.GROUPS)
    for row in [row for of in groups for row in of.rows]:
        assert f"`{row.name}{'_total' if row.kind == 'counter' else ''}`" in PAGE, row.name
    for member in MEMBERS:
        assert f"| `{member}` |" in PAGE, member
