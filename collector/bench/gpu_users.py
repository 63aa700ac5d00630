"""What a scan for the GPUs' users costs, with 500 processes and 2,000 descriptors more on this machine.

Prints the CPU time in ms of one scan of the real /proc, and of one of recorded files.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "protocol"))

from inktop_collector.files import Roots  # noqa: E402
from inktop_collector.sources.gpu.fdinfo import Descriptors  # noqa: E402

PROCESSES = 500
#: Of the recorded ones; more than a busy server has.
CLIENTS = 40
SCANS = 20
FDINFO = """\
pos:	0
flags:	02104002
drm-driver:	amdgpu
drm-pdev:	0000:03:00.0
drm-client-id:	{client}
drm-memory-vram:	2068 KiB
drm-memory-gtt: 	8192 KiB
drm-engine-gfx:	107322799 ns
drm-engine-compute:	107322799 ns
"""


def _scans_ms(procfs: str, sysfs: str) -> List[float]:
    descriptors = Descriptors(Roots(procfs, sysfs))
    taken = []
    for _ in range(SCANS):
        before = time.process_time()
        descriptors.scan({"0000:03:00.0": False})
        taken.append((time.process_time() - before) * 1e3)
    return taken


def of_this_machine_ms() -> float:
    """CPU time of the middle one of some scans of the real /proc, with 500 processes of 4 descriptors."""
    with tempfile.TemporaryFile() as file:
        command = ["sleep", "300"]
        started = [
            subprocess.Popen(
                command, stdin=file, stdout=file, stderr=file, pass_fds=(file.fileno(),), close_fds=True
            )
            for _ in range(PROCESSES)
        ]
        try:
            return sorted(_scans_ms("/proc", "/sys"))[SCANS // 2]
        finally:
            for process in started:
                process.kill()
            for process in started:
                process.wait()


def of_recorded_ms() -> float:
    """The same of a folder of files, where some of the processes use a GPU."""
    with tempfile.TemporaryDirectory() as folder:
        for pid in range(1000, 1000 + PROCESSES):
            for number in range(4):
                path = Path(folder, str(pid), "fdinfo", str(number))
                path.parent.mkdir(parents=True, exist_ok=True)
                uses = number == 3 and pid < 1000 + CLIENTS
                path.write_text(FDINFO.format(client=pid) if uses else "pos:\t0\nflags:\t02\n")
        return sorted(_scans_ms(folder, folder))[SCANS // 2]


if __name__ == "__main__":
    print(of_this_machine_ms(), of_recorded_ms())
