"""The codes of the findings, each in a sentence; the table in docs/findings.md says more of them."""

from __future__ import annotations

from collections.abc import Iterable

from tui.system.errors import UserError

CODES: dict[str, str] = {
    "generator-saturated": "a load process used 90 % of its CPU or more",
    "generator-busy": "a load process used 60 % of its CPU or more",
    "generator-lag": "the load generator was late by much of the latency that it measured",
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
    "time-wait": "the client's ports are nearly all in TIME_WAIT",
    "stalled": "requests were never answered",
    "errors": "some requests had no whole answer",
    "unexpected-status": "some answers had another status than the expected one",
    "unexpected-body": "some answers had another body than the expected one",
    "client-limit": "some requests failed at a limit of the client side",
    "littles-law": "rate and times don't fit the number of connections",
    "connections-short": "fewer connections came about than were asked for",
    "keepalive-broken": "the server closes connections that are to be kept",
    "listen-overflow": "a listen queue of the stack refused connections",
    "rate-not-reached": "the planned rate was not reached",
    "caught-up": "requests that had waited were sent faster than the planned rate",
    "worker-came": "a process of the stack started while load was measured",
    "worker-oom": "the kernel killed a process of the stack for want of memory",
    "worker-went": "a process of the stack ended while load was measured",
    "workers-missing": "fewer workers than the profile says",
    "misbound": "a process may run on a CPU that the stack was not given",
    "one-round": "one round only",
    "drift": "the rate had not settled when the rounds began",
    "scatter": "the rounds differ among themselves",
    "bottleneck": "neither the server's CPUs nor the load were the limit",
    "no-good-answer": "no answer was good",
    "load-command": "the other load generator failed",
    "disturbed": "another run went on meanwhile",
    "killed": "a process did not stop in its time",
    "logout": "the run would end with the login session",
    "plan": "a note of the plan",
    "stopped": "the run was stopped before its end",
    "failed": "the run failed",
    "cut-off": "the record ends before the run did",
}


def check_codes(codes: Iterable[str]) -> None:
    """Raises UserError for a code that no finding has."""
    for code in codes:
        if code not in CODES:
            raise UserError(f"--allow {code}: no finding has that code; codes: {', '.join(CODES)}")
