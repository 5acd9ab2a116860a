"""The codes of the findings, each with a sentence; the table in docs/findings.md has the details."""

from __future__ import annotations

from collections.abc import Iterable

from tui.system.errors import UserError

CODES: dict[str, str] = {
    "generator-saturated": "a load process used 90 % of its CPU or more",
    "generator-busy": "a load process used 60 % of its CPU or more",
    "generator-lag": "much of the measured latency was the load generator's own delay",
    "overlap": "server and load share a CPU or a core",
    "server-cpu-taken": "something else used the server's CPUs",
    "load-cpu-taken": "something else used the load's CPUs",
    "steal": "the hypervisor gave time of the run's CPUs to others",
    "governor": "the CPUs' frequency governor isn't performance",
    "turbo": "turbo is on",
    "swapping": "the machine swapped while load was measured",
    "memory-pressure": "tasks waited for memory while load was measured",
    "memory-grows": "memory grows with the number of requests",
    "descriptors": "a process is about to run out of descriptors",
    "time-wait": "nearly all of the client's ports are in TIME_WAIT",
    "stalled": "requests were never answered",
    "errors": "some requests got no complete answer",
    "unexpected-status": "some answers had an unexpected status",
    "unexpected-body": "some answers had an unexpected body",
    "client-limit": "some requests hit a limit of the client",
    "littles-law": "rate and times don't match the number of connections",
    "connections-short": "fewer connections were open at once than configured",
    "keepalive-broken": "the server closes connections that should be kept open",
    "listen-overflow": "a listen queue of the stack overflowed",
    "rate-not-reached": "the planned rate was not reached",
    "caught-up": "waiting requests were sent faster than the planned rate",
    "worker-came": "a process of the stack started while load was measured",
    "reloaded": "an external server was reloaded or restarted while load was measured",
    "worker-oom": "the kernel killed a process of the stack because memory ran out",
    "worker-went": "a process of the stack ended while load was measured",
    "workers-missing": "fewer workers than the profile asks for",
    "misbound": "a process may run on a CPU that the stack was not given",
    "one-round": "one round only",
    "drift": "the rate had not settled when the rounds began",
    "scatter": "the rounds differ a lot",
    "bottleneck": "neither the server's CPUs nor the load generator limited the rate",
    "no-good-answer": "no answer was good",
    "load-command": "the external load generator failed",
    "disturbed": "another run was active at the same time",
    "killed": "a process did not stop in time",
    "logout": "the run would end with the login session",
    "plan": "a note from the plan",
    "stopped": "the run was stopped before its end",
    "failed": "the run failed",
    "cut-off": "the record stops before the end of the run",
    "log-cut": "a log grew too long, and its middle is left out",
    "moved": "the record couldn't be written and went on elsewhere",
    "not-kept": "the record couldn't be written, and nothing else could be either",
    "lines-lost": "lines of the record can't be read",
}


def check_codes(codes: Iterable[str]) -> None:
    """Raises UserError for an unknown code."""
    for code in codes:
        if code not in CODES:
            raise UserError(f"--allow {code}: no finding has that code; codes: {', '.join(CODES)}")
