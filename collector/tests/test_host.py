"""Odd host names, uptime, load, the CPU's name, the clock; containers' odd /proc."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inktop_collector.files import Roots
from inktop_collector.preflight import missing
from inktop_collector.sources.cpu_model import cpu_model, shorten_model
from inktop_collector.sources.host import ALPHABET, clean_host, host_name
from inktop_collector.sources.load import centi
from inktop_collector.sources.uptime import Uptime
from inktop_protocol import Network, Swap, encode_snapshot
from inktop_protocol.decode import decode
from testkit.recorded import STAT_1, Machine, Sampling, sample


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("name", "clean"),
    [
        ("host_pub", "host_pub"),
        ("my router", "my_router"),
        ("П-pc", "_-pc"),
        ("$(ifconfig eth0 | grep inet)", "__ifconfig_eth0___grep_inet_"),
        ("a=b", "a_b"),
        ("a\nb", "a_b"),
        ("name\n", "name"),
        ("", "-"),
        ("x" * 64, "x" * 63),
        ("t7910.example.org", "t7910.example.org"),
        ("|*=", "___"),
    ],
)
def test_an_odd_host_name_is_made_to_fit(name: str, clean: str) -> None:
    """DataDog/datadog-unix-agent#43, cradlepoint/sdk-samples#194: shapes from the issues."""
    assert clean_host(name) == clean


@given(st.text())
def test_any_host_name_fits_the_line(name: str) -> None:
    clean = clean_host(name)
    assert 1 <= len(clean) <= 63
    assert set(clean) <= ALPHABET


def test_the_recorded_machine_has_its_own_name(machine: Machine) -> None:
    assert host_name(machine.roots()) == "t7910"
    machine.proc("sys/kernel/hostname", "caf\u00e9 \udcff\n")
    assert host_name(machine.roots()) == "caf___"


def test_no_name_server_is_asked_for_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """07th-mod/python-patcher#63: getfqdn raises on odd names."""

    def never(*_: object) -> str:
        raise AssertionError("asked a name server")

    for name in ("getfqdn", "gethostbyaddr", "getaddrinfo"):
        monkeypatch.setattr(socket, name, never)
    assert host_name(Roots()) == clean_host(os.uname().nodename)


def test_the_uptime_is_read_and_not_computed(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """shirou/gopsutil#837: the clock was set 24 h on, 31 s after the start."""
    machine.proc("uptime", "30.50 10.0\n")
    sampling = Sampling(machine)
    assert sampling.round().uptime_s == 30
    wall = time.time
    monkeypatch.setattr(time, "time", lambda: wall() + 86400)
    machine.proc("uptime", "31.50 10.0\n")
    assert sampling.round().uptime_s == 31
    sampling.close()


@pytest.mark.parametrize("text", ["", "x\n", "-5 1\n", "nan 1\n", "!EACCES\n", "99999999999 1\n"])
def test_an_uptime_that_cannot_be_is_unknown(machine: Machine, text: str) -> None:
    machine.proc("uptime", text)
    assert Uptime(machine.roots()).measure() is None


@pytest.mark.parametrize(
    ("word", "value"),
    [
        (b"0.52", 52),
        (b"12.00", 1200),
        (b"3", 300),
        (b"1.5", 150),
        (b"0,52", None),
        (b"", None),
        (b"-1.00", None),
    ],
)
def test_a_load_is_hundredths_and_no_locale_matters(word: bytes, value: Optional[int]) -> None:
    """hansmi/prometheus-lvm-exporter#125: decimal commas."""
    assert centi(word) == value


def test_a_comma_locale_changes_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "fi_FI.UTF-8")
    assert sample(machine).load_centi == (52, 40, 31)


@pytest.mark.parametrize("text", ["", "0.5\n", "!ENOENT\n"])
def test_a_load_that_is_not_there_is_left_out(machine: Machine, text: str) -> None:
    machine.proc("loadavg", text)
    assert sample(machine).load_centi is None


@pytest.mark.parametrize(
    ("model", "short"),
    [
        ("Intel(R) Xeon(R) CPU E5-2683 v4 @ 2.10GHz", "E5-2683 v4"),
        ("Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz", "Gold 6230"),
        ("12th Gen Intel(R) Core(TM) i9-12900K", "Core i9-12900K"),
        ("AMD Ryzen 9 7950X 16-Core Processor", "Ryzen 9 7950X"),
        ("AMD EPYC 7763 64-Core Processor", "EPYC 7763"),
        ("AMD Ryzen 7 7840U w/ Radeon 780M Graphics", "Ryzen 7 7840U"),
        ("AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", "RYZEN AI MAX+ 395"),
        ("AMD Ryzen 5 3400G with Radeon Vega Graphics", "Ryzen 5 3400G"),
        ("AMD Athlon(tm) Silver 3050U with Radeon Graphics", "Athlon Silver 3050U"),
        ("AMD A10-7850K Radeon R7, 12 Compute Cores 4C+8G", "A10-7850K"),
        ("AMD A8-7600 APU with AMD Radeon R7 Graphics", "A8-7600"),
        ("AMD Ryzen Threadripper PRO 5995WX 64-Cores", "Ryzen Threadripper PRO 5995WX"),
        ("Radeon", "Radeon"),
        ("Intel(R) Xeon(R) Processor", "Xeon"),
        ("CPU", "CPU"),
    ],
)
def test_a_cpu_model_is_shortened(model: str, short: str) -> None:
    assert shorten_model(model) == short


def test_two_sockets_are_counted(machine: Machine) -> None:
    one = "model name\t: Intel(R) Xeon(R) CPU E5-2683 v4 @ 2.10GHz\nphysical id\t: {}\n\n"
    machine.proc("cpuinfo", "".join(one.format(n % 2) for n in range(32)))
    assert cpu_model(machine.roots()) == "2x E5-2683 v4"


def test_sockets_are_counted_by_topology_where_cpuinfo_is_silent(machine: Machine) -> None:
    machine.proc("cpuinfo", "processor : 0\ncpu : POWER9\n")
    machine.sys("devices/system/cpu/online", "0-31\n")
    machine.sys("devices/system/cpu/cpu0/topology/package_cpus_list", "0-15\n")
    assert cpu_model(machine.roots()) == "2x POWER9"


@pytest.mark.parametrize("text", ["", "processor : 0\n", "!ENOENT\n"])
def test_a_cpu_without_a_name_has_none(machine: Machine, text: str) -> None:
    machine.proc("cpuinfo", text)
    assert cpu_model(machine.roots()) is None


def test_a_whole_line_of_the_reference_machine(machine: Machine) -> None:
    sampling = Sampling(machine)
    sampling.round()
    machine.proc("stat", STAT_1)
    snapshot = sampling.round()
    sampling.close()
    assert (snapshot.host, snapshot.uptime_s, snapshot.cpus) == ("t7910", 1051200, 4)
    assert (snapshot.cpu_permille, snapshot.cpu_levels) == (125, (8, 0, 0, 0))
    assert snapshot.swap == Swap(0, 8000)
    assert snapshot.network is not None
    assert snapshot.network.name == "eno1"
    assert snapshot.gpus == ()
    line = encode_snapshot(snapshot)
    assert line.startswith(b"h=t7910|t=")
    assert b"|m=6.9/125.8/20.5|s=0.00/8.00|w=eno1," in line
    assert decode(line) is not None


def test_an_empty_machine_is_unknown_and_nothing_is_zero(tmp_path: Path) -> None:
    """NixOS/nixpkgs#391310: ProcSubset=pid showed 0 B of 0 B."""
    snapshot = sample(Machine(tmp_path, bare=True))
    assert snapshot.cpu_permille is None
    assert snapshot.memory is not None
    assert (snapshot.memory.used_milligib, snapshot.memory.total_milligib) == (None, None)
    assert snapshot.network == Network("-", None, None)
    assert (snapshot.uptime_s, snapshot.load_centi, snapshot.swap) == (None, None, None)
    assert b"|c=-|" in encode_snapshot(snapshot)


def test_a_sandbox_without_proc_is_told_before_the_start(tmp_path: Path, machine: Machine) -> None:
    """fwupd#6964."""
    bare = Machine(tmp_path / "bare", bare=True)
    assert "ProcSubset" in (missing(bare.roots()) or "")
    assert missing(machine.roots()) is None
    for name in ("stat", "meminfo", "net/dev"):
        machine.proc(name, "!ENOENT\n")
    assert "ProcSubset" in (missing(machine.roots()) or "")
