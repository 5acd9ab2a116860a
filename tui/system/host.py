"""The machine behind a result: the facts that belong to every figure, read once per run."""

import os
import platform
import socket
from dataclasses import dataclass
from pathlib import Path

from tui.system.cpus import cpu_model, governors, topology
from tui.system.kernelfiles import read_text
from tui.system.procfs import TICKS

_CPUFREQ = Path("/sys/devices/system/cpu/cpufreq")
_DMI = Path("/sys/class/dmi/id")


@dataclass(frozen=True, slots=True)
class HostFacts:
    """Facts that can't be read are None. Memory is in bytes, frequencies in hertz.

    ``frequency_set`` is the configured limit, ``frequency_max`` that of the hardware: a result from
    a throttled machine must not look like one from an unthrottled one.
    """

    hostname: str
    distribution: str | None
    kernel: str
    architecture: str
    cpu_model: str | None
    cpus: int
    cores: int
    packages: int
    governor: str | None
    governors: dict[int, str]
    turbo: bool | None
    frequency_set: int | None
    frequency_max: int | None
    memory_total: int
    virtualisation: str | None
    container: str | None
    clock_ticks: int


def read_host() -> HostFacts:
    """Reads the facts, in about a millisecond. ``cpus``, ``cores`` and ``packages`` count the usable ones."""
    cpus = topology()
    governor_of = governors(cpus) or {}
    system = os.uname()
    return HostFacts(
        hostname=socket.gethostname(),
        distribution=_distribution(),
        kernel=system.release,
        architecture=system.machine,
        cpu_model=cpu_model(),
        cpus=len(cpus),
        cores=len({cpu.siblings for cpu in cpus.values()}),
        packages=len({cpu.package for cpu in cpus.values()}),
        governor=", ".join(sorted(set(governor_of.values()))) or None,
        governors=governor_of,
        turbo=_turbo(),
        frequency_set=_highest("scaling_max_freq"),
        frequency_max=_highest("cpuinfo_max_freq"),
        memory_total=os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        virtualisation=_virtualisation(),
        container=_container(),
        clock_ticks=TICKS,
    )


def _distribution() -> str | None:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME")
    except OSError:
        return None


def _turbo() -> bool | None:
    no_turbo = read_text(Path("/sys/devices/system/cpu/intel_pstate/no_turbo"))
    if no_turbo:
        return no_turbo == "0"
    boost = read_text(_CPUFREQ / "boost")
    return boost == "1" if boost else None


def _highest(name: str) -> int | None:
    kilohertz = [read_text(path) for path in _CPUFREQ.glob(f"policy*/{name}")]
    return max((int(text) * 1000 for text in kilohertz if text), default=None)


def _virtualisation() -> str | None:
    """The kind of virtual machine ("QEMU Standard PC"), as far as that is visible from inside."""
    flags = read_text(Path("/proc/cpuinfo")) or ""
    kind = read_text(Path("/sys/hypervisor/type"))
    if kind:
        return kind
    if " hypervisor" not in flags:
        return None
    maker = " ".join(filter(None, (read_text(_DMI / "sys_vendor"), read_text(_DMI / "product_name"))))
    return maker or "an unnamed hypervisor"


def _container() -> str | None:
    if Path("/run/.containerenv").exists():
        return "podman"
    if Path("/.dockerenv").exists():
        return "docker"
    return read_text(Path("/run/systemd/container"))
