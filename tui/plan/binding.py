"""Which CPUs the stack and the load generator get, chosen by the profile or by "auto"."""

import os
import resource
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tui.profile.models import Profile
from tui.profile.problems import Problem
from tui.system.cpus import format_cpu_list, overlap, share_out, thread_siblings, usable_cpus

OF_OUR_OWN = 16
"""Descriptors that a load process needs besides its connections: its channel, its epoll, its log."""


@dataclass(frozen=True)
class Binding:
    """The CPUs of both. ``by_choice``: they share some, although the machine could keep them apart."""

    server: tuple[int, ...]
    load: tuple[int, ...]
    shared: bool
    by_choice: bool
    notices: tuple[str, ...]


def bind(profile: Profile) -> tuple[Binding, list[Problem]]:
    """The binding of a profile on this machine, and a problem for each choice that is impossible here."""
    usable = usable_cpus()
    siblings = thread_siblings(usable)
    problems = [
        *_unusable(profile.name, "cpus", profile.cpus, usable),
        *_unusable(profile.name, "load.cpus", profile.load.cpus, usable),
    ]
    server, load = _chosen(profile, usable, siblings)
    problems += _too_many_connections(profile, load)
    shared = overlap(server, load, siblings)
    forced = share_out(usable, siblings, profile.workers).shared
    return Binding(
        server=server,
        load=load,
        shared=bool(shared),
        by_choice=bool(shared) and not forced,
        notices=(_notice(shared.same, shared.siblings, forced),) if shared else (),
    ), problems


def _chosen(
    profile: Profile, usable: tuple[int, ...], siblings: Mapping[int, frozenset[int]]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The CPUs of server and load; with "auto", one gets CPUs that the other leaves free."""
    server, load = profile.cpus, profile.load.cpus
    if server != "auto" and load != "auto":
        return server, load
    if server != "auto":
        return server, _remaining_for_load(server, usable, siblings, profile.workers)
    if load != "auto":
        return _rest(load, usable, siblings) or usable, load
    share = share_out(usable, siblings, profile.workers)
    return share.server, share.load


def _unusable(
    profile: str, key: str, cpus: str | tuple[int, ...], usable: tuple[int, ...]
) -> Iterable[Problem]:
    missing = [] if isinstance(cpus, str) else [cpu for cpu in cpus if cpu not in usable]
    if not missing:
        return
    there = os.sysconf("SC_NPROCESSORS_CONF")
    reason = (
        "this machine doesn't have" if missing[0] >= there else "may not be used here (affinity or cgroup)"
    )
    names = f"CPU {missing[0]}" if len(missing) == 1 else f"CPUs {format_cpu_list(missing)}"
    yield Problem(profile, key, f"found {names}, which {reason}", f"usable: {format_cpu_list(usable)}")


def _too_many_connections(profile: Profile, cpus: tuple[int, ...]) -> Iterable[Problem]:
    """Whether our load processes, one per CPU, may open enough descriptors; they raise their own soft limit."""
    connections, limit = profile.load.connections, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if profile.load.kind not in ("closed", "open") or connections is None or limit == resource.RLIM_INFINITY:
        return
    processes = min(len(cpus), connections)
    most = max(0, limit - OF_OUR_OWN) * processes
    if connections > most:
        whose = "each load process" if processes > 1 else "the load process"
        found = f"found {connections}, but {whose} may open only {limit} descriptors (ulimit -Hn)"
        allowed = f"at most {most}, more load.cpus, or a higher limit"
        yield Problem(profile.name, "load.connections", found, allowed)


def _remaining_for_load(
    server: tuple[int, ...],
    usable: tuple[int, ...],
    siblings: Mapping[int, frozenset[int]],
    workers: int,
) -> tuple[int, ...]:
    """The load generator's CPUs when the server's are chosen: what "auto" gives it of the rest."""
    rest = _rest(server, usable, siblings)
    if not rest:
        return usable[-1:]
    cores = {siblings.get(cpu, frozenset({cpu})) & set(rest) for cpu in rest}
    return rest if len(cores) == 1 else share_out(rest, siblings, workers).load


def _rest(
    taken: tuple[int, ...], usable: tuple[int, ...], siblings: Mapping[int, frozenset[int]]
) -> tuple[int, ...]:
    """The usable CPUs on other cores than the taken ones; if there are none, the other threads of those cores."""
    cores = {thread for cpu in taken for thread in siblings.get(cpu, frozenset({cpu}))}
    return tuple(cpu for cpu in usable if cpu not in cores) or tuple(
        cpu for cpu in usable if cpu not in taken
    )


def _notice(same: tuple[int, ...], pairs: tuple[tuple[int, int], ...], forced: bool) -> str:
    if same:
        what = f"CPU {same[0]}" if len(same) == 1 else f"CPUs {format_cpu_list(same)}"
    else:
        what = f"the core of CPUs {pairs[0][0]} and {pairs[0][1]}"
    why = "this machine has no other" if forced else "the profile asks for it"
    return f"server and load share {what}: {why}"
