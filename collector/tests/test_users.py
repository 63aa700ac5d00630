"""Who uses the GPUs, from descriptors, the compute driver and NVIDIA's library."""

from __future__ import annotations

import errno
import shutil
import time
from pathlib import Path
from typing import Dict, List, Tuple

import pytest
from inktop_collector import files
from inktop_collector.files import File
from inktop_collector.sources.gpu import fdinfo, makers
from inktop_collector.sources.gpu.fdinfo import Descriptors, parse_fdinfo
from inktop_collector.sources.gpu.nvidia import Nvidia
from inktop_collector.sources.gpu.use import Use
from inktop_collector.sources.process_names import process_name
from inktop_collector.sources.source import Row
from inktop_protocol import GpuUser
from testkit.nvidia import FakeLibrary, build, nvidia_card
from testkit.recorded import Machine, Sampling

CARD, OTHER = "0000:08:00.0", "0000:0b:00.0"
#: As in Umio-Yasuno/amdgpu_top#87, with the numbers replaced.
AMDGPU = """\
pos:	0
flags:	02104002
mnt_id:	24
ino:	614
pasid:	32784
drm-driver:	amdgpu
drm-pdev:	{pci}
drm-client-id:	{client}
drm-memory-vram:	{vram_kib} KiB
drm-memory-gtt: 	8192 KiB
drm-memory-cpu: 	0 KiB
drm-engine-gfx:	{gfx_ns} ns
drm-engine-compute:	{compute_ns} ns
"""
#: As Documentation/gpu/drm-usage-stats and the xe driver's own documentation write them.
XE = """\
drm-driver:	xe
drm-client-id:	42
drm-pdev:	0000:08:00.0
drm-total-vram0:	16384 KiB
drm-resident-vram0:	8192 KiB
drm-total-gtt:	192 KiB
drm-cycles-rcs:	28257900
drm-total-cycles-rcs:	7655183225
drm-cycles-ccs:	{cycles}
drm-total-cycles-ccs:	{total}
drm-engine-capacity-ccs:	1
"""
I915 = """\
drm-driver:	i915
drm-client-id:	7
drm-pdev:	0000:08:00.0
drm-engine-render:	25662044495 ns
drm-engine-video:	{video_ns} ns
drm-engine-capacity-video:	2
drm-resident-local0:	4 MiB
"""


def amdgpu(
    client: int, vram_kib: int, gfx_ns: int = 0, pci: str = CARD, compute_ns: int = 0
) -> str:  # fmt: skip
    return AMDGPU.format(client=client, vram_kib=vram_kib, gfx_ns=gfx_ns, pci=pci, compute_ns=compute_ns)


def process(
    machine: Machine, pid: int, name: str, *descriptors: str, group: str = "/", command: str = ""
) -> None:
    machine.proc(f"{pid}/comm", f"{name}\n")
    machine.proc(f"{pid}/cgroup", f"0::{group}\n")
    machine.proc(f"{pid}/cmdline", command)
    for number, text in enumerate(("pos:\t0\nflags:\t02\n", *descriptors)):
        machine.proc(f"{pid}/fdinfo/{number}", text)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path / "machine")
    machine.gpu("card0", CARD, {"gpu_busy_percent": "7\n", "vendor": "0x1002\n"})
    process(machine, 1, "systemd")
    return machine


class Ticks:
    """Monotonic time of scans."""

    def __init__(self) -> None:
        self.ns = 0

    def __call__(self) -> int:
        return self.ns


def scan(machine: Machine) -> Tuple[Descriptors, Ticks]:
    ticks = Ticks()
    return Descriptors(machine.roots(), ticks), ticks


# -- descriptors --


def test_busy_is_the_engine_time_between_two_scans(machine: Machine) -> None:
    process(machine, 500, "vllm", amdgpu(217, 2068, gfx_ns=107322799))
    scans, ticks = scan(machine)
    assert scans.scan({CARD: False}) == {CARD: {500: Use(2068 << 10, None)}}
    process(machine, 500, "vllm", amdgpu(217, 4096, gfx_ns=107322799 + 3_000_000_000))
    ticks.ns += 5_000_000_000
    assert scans.scan({CARD: False}) == {CARD: {500: Use(4096 << 10, 60)}}
    ticks.ns += 5_000_000_000
    assert scans.scan({CARD: False})[CARD][500].busy_percent == 0


def test_a_client_counts_once_however_many_descriptors_it_has(machine: Machine) -> None:
    same = amdgpu(217, 2048)
    process(machine, 500, "Xorg", same, same, amdgpu(218, 1024))
    process(machine, 501, "Xorg-child", same)
    scans, _ = scan(machine)
    found = scans.scan({CARD: False})[CARD]
    assert sum(use.vram_bytes or 0 for use in found.values()) == 3072 << 10
    assert scans.scan({CARD: False})[CARD] == {pid: Use(use.vram_bytes, 0) for pid, use in found.items()}


def test_a_card_that_shares_the_machines_memory_counts_what_is_there_too(machine: Machine) -> None:
    process(machine, 500, "llama-server", amdgpu(1, 2048))
    assert scan(machine)[0].scan({CARD: True})[CARD][500].vram_bytes == (2048 + 8192) << 10


def test_each_card_has_its_own_users(machine: Machine) -> None:
    process(
        machine, 500, "vllm", amdgpu(1, 2048), amdgpu(1, 1024, pci=OTHER), amdgpu(9, 64, pci="0000:77:00.0")
    )
    found = scan(machine)[0].scan({CARD: False, OTHER: False})
    assert found == {CARD: {500: Use(2048 << 10)}, OTHER: {500: Use(1024 << 10)}}


def test_xe_counts_cycles_and_i915_time_over_the_engines_it_has(machine: Machine) -> None:
    process(machine, 500, "llama-server", XE.format(cycles=1000, total=10000))
    process(machine, 600, "ffmpeg", I915.format(video_ns=0))
    scans, ticks = scan(machine)
    first = scans.scan({CARD: False})[CARD]
    assert first == {500: Use(8192 << 10), 600: Use(4 << 20)}
    process(machine, 500, "llama-server", XE.format(cycles=1750, total=11000))
    process(machine, 600, "ffmpeg", I915.format(video_ns=2_000_000_000))
    ticks.ns += 2_000_000_000
    second = scans.scan({CARD: False})[CARD]
    assert (second[500].busy_percent, second[600].busy_percent) == (75, 50)


@pytest.mark.parametrize(
    "text",
    [
        "pos:\t0\n",
        "drm-client-id:\t1\n",
        "drm-pdev:\t0000:08:00.0\ndrm-client-id:\n",
        "drm-pdev:\t0000:08:00.0\ndrm-client-id:\t1\ndrm-engine-gfx:\tmany ns\n",
        "drm-pdev:\t0000:08:00.0\ndrm-client-id:\t1\ndrm-memory-vram:\t1 furlong\n",
        "drm-pdev:\t0000:08:00.0\ndrm-client-id:\t1\ndrm-cycles-rcs:\t1\n",
        "drm-pdev:\t\xff\ndrm-client-id:\t1\n",
    ],
)
def test_a_descriptor_that_cannot_be_understood_is_nobodys(text: str) -> None:
    assert parse_fdinfo(text.encode("latin-1")) is None


def test_a_scan_of_many_processes_is_bounded_and_every_process_has_its_turn(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for pid in range(1000, 1400):
        process(machine, pid, "sleep", "pos:\t0\n", "pos:\t0\n")
    process(machine, 1399, "late", amdgpu(1, 1 << 20))
    reads: List[str] = []
    read = File.read

    def counted(self: File, size: int = files.PAGE_BYTES) -> object:
        reads.append(self.path)
        return read(self, size)

    monkeypatch.setattr(File, "read", counted)
    scans, _ = scan(machine)
    found_at = []
    for number in range(14):
        reads.clear()
        if scans.scan({CARD: False}):
            found_at.append(number)
        assert len(reads) <= fdinfo.MAX_LOOKS + fdinfo.MAX_CLIENTS
    # 400 processes of 4 looks each at 250 looks a scan: found in the first turn, then never lost.
    assert found_at == list(range(found_at[0], 14))
    assert found_at[0] <= 1600 // 250 + 1
    process(machine, 9999, "new", amdgpu(2, 1 << 20))
    assert 9999 in scans.scan({CARD: False})[CARD]


# -- the line --


def users(sampling: Sampling) -> Tuple[GpuUser, ...]:
    return sampling.round().gpu_users


def test_the_line_names_who_has_most_memory_and_how_many_others(machine: Machine) -> None:
    process(machine, 500, "vllm", amdgpu(1, 28416 << 10))
    process(machine, 501, "Xorg", amdgpu(2, 50 << 10))
    process(machine, 502, "btop", amdgpu(3, 12))
    sampling = Sampling(machine)
    assert users(sampling) == (GpuUser(0, "vllm", 28416, None, 1),)
    assert Row("gpu users", "2 processes") in sampling.sampler.doctor()
    sampling.close()


def test_switched_off_nothing_is_scanned(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(self: Descriptors, integrated: Dict[str, bool]) -> None:
        raise AssertionError

    monkeypatch.setattr(Descriptors, "scan", never)
    process(machine, 500, "vllm", amdgpu(1, 1 << 20))
    sampling = Sampling(machine, gpu_users=False)
    assert users(sampling) == ()
    assert "gpu users" not in [row.title for row in sampling.sampler.doctor()]
    sampling.close()


def test_between_scans_the_last_answer_is_sent_and_nothing_is_read(machine: Machine) -> None:
    process(machine, 500, "vllm", amdgpu(1, 1 << 20))
    sampling = Sampling(machine)
    assert users(sampling)[0].vram_mib == 1024
    process(machine, 500, "vllm", amdgpu(1, 2 << 20))
    assert users(sampling)[0].vram_mib == 1024
    sampling.close()


def test_hidden_processes_make_the_number_of_others_unknown_and_doctor_says_what_shows_them(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Umio-Yasuno/amdgpu_top#114: descriptors of other users' processes cannot be listed."""
    process(machine, 500, "vllm", amdgpu(1, 1 << 20))
    process(machine, 2217, "secret", amdgpu(2, 2 << 20))
    monkeypatch.setattr(
        fdinfo,
        "names_or_error",
        lambda folder: ([], errno.EACCES) if "/2217/" in folder else files.names_or_error(folder),
    )
    sampling = Sampling(machine)
    assert users(sampling) == (GpuUser(0, "vllm", 1024, None, None),)
    row = next(row for row in sampling.sampler.doctor() if row.title == "gpu users")
    assert "install --see-processes" in row.note
    sampling.close()


def test_a_proc_that_shows_ones_own_processes_alone_hides_others(machine: Machine) -> None:
    shutil.rmtree(machine.procfs / "1")
    process(machine, 500, "vllm", amdgpu(1, 1 << 20))
    sampling = Sampling(machine)
    assert users(sampling)[0].others is None
    sampling.close()


# -- the compute driver --


def kfd(machine: Machine, pid: int, size: int) -> None:
    """As drivers/gpu/drm/amd/amdkfd/kfd_process.c and kfd_topology.c make them; 0x0800 is 0000:08:00.0."""
    machine.sys("class/kfd/kfd/topology/nodes/0/gpu_id", "0\n")
    machine.sys("class/kfd/kfd/topology/nodes/1/gpu_id", "51138\n")
    machine.sys(
        "class/kfd/kfd/topology/nodes/1/properties", "cpu_cores_count 0\nlocation_id 2048\ndomain 0\n"
    )
    machine.sys(f"class/kfd/kfd/proc/{pid}/vram_51138", f"{size}\n")
    machine.sys(f"class/kfd/kfd/proc/{pid}/pasid", "32771\n")


def test_a_process_that_only_the_compute_driver_lists_is_found_and_its_share_unknown(
    machine: Machine,
) -> None:
    """Umio-Yasuno/amdgpu_top#49: ROCm shows no engine time."""
    kfd(machine, 600, 27 << 30)
    process(machine, 600, "VLLM::EngineCor", amdgpu(1, 2048))
    process(machine, 500, "Xorg", amdgpu(2, 2048))
    sampling = Sampling(machine)
    assert users(sampling) == (GpuUser(0, "VLLM::EngineCor", 27648, None, 1),)
    sampling.close()


def test_a_process_whose_name_is_hidden_goes_by_its_number(machine: Machine) -> None:
    kfd(machine, 4242, 27 << 30)
    sampling = Sampling(machine)
    assert users(sampling) == (GpuUser(0, "pid 4242", 27648, None, 0),)
    sampling.close()


# -- NVIDIA --


def test_nvidias_library_tells_all_processes_whoever_they_belong_to(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(machine.procfs / "1")
    fake = FakeLibrary(build(tmp_path / "libnvidia-ml.so.1"))
    nvidia_card(machine, OTHER)
    fake.set(address=OTHER, product="NVIDIA H200")
    fake.processes([(700, 20 << 30, 95), (701, 1 << 30, 0)], graphics=[(702, 30 << 20, 3)])
    process(machine, 700, "python3", group="/system.slice/ollama.service")
    monkeypatch.setattr(makers, "MAKERS", (*makers.MAKERS[:2], Nvidia(str(fake.path))))
    sampling = Sampling(machine)
    sampling.round()
    monotonic = time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: monotonic() + 5)
    assert users(sampling) == (GpuUser(1, "ollama", 20480, 95, 2),)
    sampling.close()
    assert fake.get("misuse") == 0


# -- names --


@pytest.mark.parametrize(
    ("program", "group", "command", "name"),
    [
        ("vllm", "/user.slice/user-1000.slice/session-3.scope", "", "vllm"),
        ("ollama", "/system.slice/ollama.service", "", "ollama"),
        ("python3.12", "/system.slice/llm-chat.service", "", "llm-chat"),
        ("python3", r"/system.slice/llm\x2dchat.service", "", "llm-chat"),
        ("python3", "/user.slice/user-1000.slice/user@1000.service/app.slice/comfy.service", "", "comfy"),
        ("python3", "/user.slice/user-1000.slice/user@1000.service", "python3\0-m\0vllm.entrypoints", "vllm"),
        ("python3", "/user.slice/session-3.scope", "python3\0-u\0/srv/webui/launch.py\0--port=1", "launch"),
        ("python3", f"/system.slice/docker-{'3f2a1b0c9d8e' + 52 * '0'}.scope", "python3", "3f2a1b0c9d8e"),
        ("python3", "/lxc.payload.inference/system.slice", "", "inference"),
        ("vllm", "/lxc/inference/ns", "", "inference"),
        ("vllm", r"/machine.slice/machine-gpu\x2dbox.scope/payload", "", "gpu-box"),
        ("python3", "/", "python3", "python3"),
        ("a name with more than", "/", "", "a name with mor"),
    ],
)
def test_a_process_goes_by_what_a_person_knows_it_by(
    program: str, group: str, command: str, name: str, machine: Machine
) -> None:
    process(machine, 500, program, group=group, command=command)
    assert process_name(machine.roots(), 500) == name
