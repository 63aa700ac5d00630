"""Network names with colons, bonds, bridges, veth, interfaces that vanish, counters that fall."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import pytest
from inktop_collector.sources.network import (
    NetworkSource,
    default_route,
    default_route6,
    parse_dev,
)
from inktop_protocol import Network
from testkit.recorded import NET_ROUTE, Machine

HEADER = """\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo
 colls carrier compressed
"""  # noqa: E501 (as the kernel writes it)


def dev(**counters: Tuple[int, int]) -> str:
    return HEADER + "".join(
        f"{name:>6}: {got} 5 0 0 0 0 0 0 {sent} 5 0 0 0 0 0 0\n" for name, (got, sent) in counters.items()
    )


def route(name: str, metric: int = 100, flags: int = 3) -> str:
    return f"{name}\t00000000\t0100A8C0\t{flags:04X}\t0\t0\t{metric}\t00000000\t0\t0\t0\n"


HEAD = NET_ROUTE.splitlines()[0] + "\n"


class Net:
    """A network source whose clock and files a test moves."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.machine = Machine(folder)
        self.now = 500.0
        monkeypatch.setattr(time, "monotonic", lambda: self.now)
        self.log: List[str] = []
        self.source = NetworkSource(self.machine.roots(), log=self.log.append)

    def hardware(self, *names: str) -> None:
        for name in names:
            self.machine.link(
                f"class/net/{name}", f"../../devices/pci0000:00/0000:00:04.0/virtio1/net/{name}"
            )

    def virtual(self, *names: str) -> None:
        for name in names:
            self.machine.link(f"class/net/{name}", f"../../devices/virtual/net/{name}")

    def see(
        self,
        after_s: float = 1.0,
        more: Optional[Dict[str, Tuple[int, int]]] = None,
        **counters: Tuple[int, int],
    ) -> Network:
        self.now += after_s
        self.machine.proc("net/dev", dev(**(more or {}), **counters))
        return self.source.measure()


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Net:
    return Net(tmp_path, monkeypatch)


def rates(sample: Network) -> Tuple[str, Optional[int], Optional[int]]:
    return sample.name, sample.received_bytes_s, sample.sent_bytes_s


def test_rates_are_of_the_interface_of_the_default_route(net: Net) -> None:
    net.see(lo=(9, 9), eno1=(1000, 500))
    sample = net.see(2.0, lo=(99999, 99999), eno1=(24601000, 840500))
    assert rates(sample) == ("eno1", 12300000, 420000)


def test_the_first_look_has_no_rate(net: Net) -> None:
    assert rates(net.see(eno1=(1000, 500))) == ("eno1", None, None)


def test_counters_follow_the_last_colon() -> None:
    """giampaolo/psutil#263: no space is left after the name once the counter is long."""
    text = HEADER + (
        "    lo: 9477513   53050    0    0 0 0 0 0  9477513   53050 0 0 0 0 0 0\n"
        "  eth0:4046496815 27661328    0    0 0 0 0 0 61800195044 32419766 0 0 0 0 0 0\n"
        "eth0:1:77 1 0 0 0 0 0 0 88 1 0 0 0 0 0 0\n"
    )
    assert parse_dev(text.encode()) == {
        "lo": (9477513, 9477513),
        "eth0": (4046496815, 61800195044),
        "eth0:1": (77, 88),
    }


@pytest.mark.parametrize(
    "text", ["", "garbage", "eth0:\n", "eth0: 1 2 3\n", "eth0: a 0 0 0 0 0 0 0 b 0 0\n", ":::\n"]
)
def test_damaged_lines_are_left_out(text: str) -> None:
    assert parse_dev(text.encode()) == {}


def test_a_container_network_is_not_counted_twice(net: Net) -> None:
    """htop-dev/htop#646: docker0 and each veth carry what eth0 carries."""
    net.machine.proc("net/route", HEAD)
    net.hardware("eth0")
    net.virtual("docker0", "veth1a2b3c4", "dummy0", "gretap0")
    counters = {
        "docker0": (10**12, 10**12),
        "veth1a2b3c4": (10**12, 10**12),
        "dummy0": (10**13, 0),
        "gretap0": (0, 0),
    }
    net.see(lo=(1, 1), eth0=(100, 100), more=counters)
    assert rates(net.see(lo=(1, 1), eth0=(1100, 600), more=counters)) == ("eth0", 1000, 500)


def test_without_a_sysfs_virtual_interfaces_are_known_by_name(net: Net) -> None:
    net.machine.proc("net/route", HEAD)
    sample = net.see(docker0=(10**12, 0), vethabc=(10**12, 0), ens3=(5, 5))
    assert sample.name == "ens3"


@pytest.mark.parametrize("name", ["vmbr0", "fwbr100i0", "fwpr100p0", "tap100i0", "br0", "eth0.5", "vlan5"])
def test_without_a_sysfs_no_bridge_or_vlan_stands_before_its_hardware(net: Net, name: str) -> None:
    net.machine.proc("net/route", HEAD)
    counters = {name: (10**12, 10**12), "enp3s0": (5, 5)}
    assert net.see(lo=(1, 1), more=counters).name == "enp3s0"


def test_a_virtual_interface_is_the_last_resort(net: Net) -> None:
    net.machine.proc("net/route", HEAD)
    net.virtual("veth0", "tun0")
    assert net.see(lo=(10**9, 10**9), veth0=(10**9, 0), tun0=(1, 1)).name == "tun0"


def test_the_loopback_is_never_chosen(net: Net) -> None:
    net.machine.proc("net/route", HEAD)
    assert rates(net.see(lo=(10**9, 10**9))) == ("-", None, None)


@pytest.mark.parametrize("name", ["bond0", "br0", "wg0", "eth0.100", "vmbr0"])
def test_a_virtual_interface_with_the_default_route_is_the_right_one(net: Net, name: str) -> None:
    net.hardware("eth0", "eth1")
    net.virtual(name)
    net.machine.proc("net/route", HEAD + route(name))
    counters = {"eth0": (10**9, 10**9), "eth1": (10**9, 10**9)}
    net.see(more={**counters, name: (0, 0)})
    assert rates(net.see(more={**counters, name: (70, 7)})) == (name, 70, 7)


def test_a_bond_without_a_route_stands_for_its_members(net: Net) -> None:
    net.machine.proc("net/route", HEAD)
    net.hardware("eth0", "eth1")
    net.virtual("bond0")
    net.machine.sys("devices/virtual/net/bond0/bonding/mode", "802.3ad 4\n")
    counters = {"bond0": (2000, 0), "eth0": (1500, 0), "eth1": (500, 0)}
    for name in ("eth0", "eth1"):
        folder = f"devices/pci0000:00/0000:00:04.0/virtio1/net/{name}"
        net.machine.sys(f"{folder}/operstate", "up\n")
        net.machine.link(f"{folder}/master", "../../../../../virtual/net/bond0")
    assert net.see(more=counters).name == "bond0"


def test_the_lowest_metric_wins() -> None:
    text = HEAD + route("wlan0", 600) + route("eth0", 100) + route("wwan0", 700)
    assert default_route(text.encode()) == "eth0"


def test_routes_that_are_down_or_reject_do_not_count() -> None:
    text = HEAD + route("eth0", 1, flags=0x0201) + route("eth1", 2, flags=0x0002) + route("eth2", 900)
    assert default_route(text.encode()) == "eth2"


def test_an_ipv6_only_machine_has_a_default_route_too(net: Net) -> None:
    """rucio/rucio#2245."""
    zero = "0" * 32
    text = (
        f"{zero} 00 {zero} 00 {zero} ffffffff 00000001 00000000 00200200 lo\n"
        f"{zero} 00 {zero} 00 fe80{'0' * 27}1 00000400 00000001 00000000 00450003 enp3s0\n"
        f"{zero} 00 {zero} 00 fe80{'0' * 27}1 00000064 00000001 00000000 00450003 enp4s0\n"
        f"2001{'0' * 28} 40 {zero} 00 {zero} 00000001 00000001 00000000 00450003 enp9s0\n"
    )
    assert default_route6(text.encode()) == "enp4s0"
    net.machine.proc("net/route", HEAD)
    net.machine.proc("net/ipv6_route", text)
    assert net.see(enp3s0=(1, 1), enp4s0=(1, 1), enp9s0=(9, 9)).name == "enp4s0"


def test_an_interface_that_vanishes_is_replaced_with_one_log_line(net: Net) -> None:
    """giampaolo/psutil#1279, netdata PR#13850: gig0 became gig000."""
    net.machine.proc("net/route", HEAD + route("gig0"))
    net.see(gig0=(1000, 1000))
    net.machine.proc("net/route", HEAD + route("gig000"))
    assert rates(net.see(gig000=(5000, 5000))) == ("gig000", None, None)
    assert rates(net.see(gig000=(6000, 5100))) == ("gig000", 1000, 100)
    assert net.log == ["network: gig0 is gone, now gig000"]


def test_a_machine_whose_network_is_gone_is_logged_once(net: Net) -> None:
    net.see(eno1=(1, 1))
    for _ in range(20):
        assert rates(net.see(lo=(1, 1))) == ("-", None, None)
    assert net.log == ["network: eno1 is gone, now none"]
    net.see(eno1=(1, 1))
    assert rates(net.see(eno1=(11, 21))) == ("eno1", 10, 20)


def test_a_route_that_moves_is_followed(net: Net) -> None:
    net.see(eno1=(1, 1), wlan0=(1, 1))
    net.machine.proc("net/route", HEAD + route("wlan0"))
    net.see(6.0, eno1=(1, 1), wlan0=(1, 1))
    assert rates(net.see(eno1=(1, 1), wlan0=(101, 11))) == ("wlan0", 100, 10)
    assert net.log == ["network: eno1, now wlan0"]


def test_without_a_route_the_choice_stays(net: Net) -> None:
    net.machine.proc("net/route", HEAD)
    net.hardware("eth0", "eth1")
    assert net.see(eth0=(100, 0), eth1=(50, 0)).name == "eth0"
    assert net.see(60.0, eth0=(100, 0), eth1=(5000, 0)).name == "eth0"


@pytest.mark.parametrize(
    ("before", "after"),
    [((2**32 - 100, 5), (50, 5)), ((10**12, 5), (0, 5)), ((500, 5), (499, 5))],
)
def test_a_counter_that_wraps_or_resets_is_unknown_for_that_tick(
    net: Net, before: Tuple[int, int], after: Tuple[int, int]
) -> None:
    net.see(eno1=before)
    assert rates(net.see(eno1=after)) == ("eno1", None, 0)
    assert rates(net.see(eno1=(after[0] + 9, 7))) == ("eno1", 9, 2)


def test_a_rate_beyond_any_network_is_unknown(net: Net) -> None:
    net.see(eno1=(0, 0))
    assert rates(net.see(eno1=(2**63, 1))) == ("eno1", None, 1)


def test_a_sandbox_without_proc_net_uses_sysfs(net: Net) -> None:
    """Carrier and speed (EINVAL when down, lxc/incus-os#646) are not asked at all."""
    (net.machine.procfs / "net/dev").unlink()
    (net.machine.procfs / "net/route").unlink()
    base = "devices/pci0000:00/0000:00:19.0/net/eno1"

    def counters(got: int, sent: int) -> Dict[str, str]:
        return {"rx_bytes": f"{got}\n", "tx_bytes": f"{sent}\n"}

    net.machine.sys(f"{base}/speed", "!EINVAL\n")
    net.machine.sys(f"{base}/carrier", "!EINVAL\n")
    for name, text in counters(1000, 500).items():
        net.machine.sys(f"{base}/statistics/{name}", text)
    net.source.measure()
    for name, text in counters(3000, 600).items():
        net.machine.sys(f"{base}/statistics/{name}", text)
    net.now += 2.0
    assert rates(net.source.measure()) == ("eno1", 1000, 50)


def test_no_network_at_all_is_unknown(net: Net) -> None:
    net.machine.proc("net/dev", "!ENOENT\n")
    net.machine.remove("class/net/eno1")
    assert rates(net.source.measure()) == ("-", None, None)


def test_a_configured_interface_is_taken_whatever_the_route_says(net: Net) -> None:
    source = NetworkSource(net.machine.roots(), "wg0")
    net.machine.proc("net/dev", dev(eno1=(1, 1), wg0=(1, 1)))
    assert source.measure().name == "wg0"


def test_a_table_of_many_interfaces_is_read_to_its_end(net: Net) -> None:
    """bbidulock/icewm#488: st_size says 0, and one read is not the whole file."""
    many = {f"veth{n:07d}": (n, n) for n in range(3000)}
    assert net.see(more=many, eno1=(1, 1)).name == "eno1"
