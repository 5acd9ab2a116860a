"""How near a load is to running out of ports: those in TIME_WAIT, out of the range that the kernel gives out.

Whoever closes a connection first keeps its end in TIME_WAIT for a minute. A server that closes first costs the client
nothing; a client that closes first loses a port each time, and has one range of them for each address of a server.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from tui.system.kernelfiles import read_text
from tui.system.sock_diag import TimeWaits, tcp_time_waits

_ALWAYS, _ON_LOOPBACK = "1", "2"  # of tcp_tw_reuse in the kernel's ip-sysctl.rst
_REUSE_DELAY = 1.0
"""Seconds, of kernels that have no tcp_tw_reuse_delay."""
_SETTINGS = Path("/proc/sys/net/ipv4")


@dataclass(frozen=True, slots=True)
class PortUse:
    """``ports`` are those that one client address has for one server address, None if the kernel doesn't say.

    ``reused_after`` is after how many seconds the kernel takes a port in TIME_WAIT for a new connection to the same
    server all the same; None when it doesn't.
    """

    waits: TimeWaits
    ports: int | None
    reused_after: float | None


def port_use(host: str, port: int) -> PortUse:
    """Of the server at this address, an IP address. Raises OSError if the kernel doesn't say."""
    return PortUse(tcp_time_waits(host, port), local_ports(), reused_after(host))


def local_ports(settings: Path = _SETTINGS) -> int | None:
    """How many ports the kernel offers to clients."""
    words = (read_text(settings / "ip_local_port_range") or "").split()
    return int(words[1]) - int(words[0]) + 1 if len(words) == 2 else None


def reused_after(host: str, settings: Path = _SETTINGS) -> float | None:
    """After how many seconds in TIME_WAIT a port is reused; this needs timestamps to recognise old packets."""
    reuse = read_text(settings / "tcp_tw_reuse")
    applies = reuse == _ALWAYS or (reuse == _ON_LOOPBACK and ipaddress.ip_address(host).is_loopback)
    if not applies or read_text(settings / "tcp_timestamps") == "0":
        return None
    delay = read_text(settings / "tcp_tw_reuse_delay")
    return int(delay) / 1000 if delay else _REUSE_DELAY
