"""Real processes to look at: small Python programs that say when they are where the test wants them."""

import os
import pickle
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

DEADLINE = 20.0
NOBODY = 65534


@dataclass
class Program:
    """A running program; ``values`` are the words of its first line, such as ``child=123``."""

    process: subprocess.Popen[bytes]
    values: list[tuple[str, int]]

    @property
    def pid(self) -> int:
        return self.process.pid

    def all(self, name: str) -> list[int]:
        return [value for key, value in self.values if key == name]

    def the(self, name: str) -> int:
        (value,) = self.all(name)
        return value

    def go_on(self) -> str:
        """Sends the program a line, which it waits for, and returns the line that it answers."""
        assert self.process.stdin
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return read_line(self.process)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


Start = Callable[..., Program]


def started_programs() -> Iterator[Start]:
    """Starts Python source as a process of its own and waits for its first line.

    At the end it is killed by its pid, and so is every ``child=PID`` that it printed.
    """
    programs: list[Program] = []

    def run(source: str, *arguments: str, **keywords: object) -> Program:
        process = subprocess.Popen(  # type: ignore[call-overload]
            [sys.executable, "-S", "-c", source, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            **keywords,
        )
        program = Program(process, [])
        programs.append(program)
        words = (word.partition("=") for word in read_line(process).split())
        program.values = [(name, int(value)) for name, _, value in words if value]
        return program

    yield run
    for program in programs:
        for pid in program.all("child"):
            with suppress(ProcessLookupError):
                os.kill(pid, 9)
        program.end()
        for pipe in (program.process.stdin, program.process.stdout):
            if pipe:
                pipe.close()


def read_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout
    readable, _, _ = select.select([process.stdout], [], [], DEADLINE)
    assert readable, "the program said nothing"
    line = process.stdout.readline().decode()
    assert line, f"the program ended with status {process.wait()}"
    return line


def eventually(condition: Callable[[], bool]) -> None:
    """Waits until the condition holds, and fails when it doesn't within the deadline."""
    until = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < until, "it did not come true in time"
        time.sleep(0.01)


def as_another_user(do: Callable[[], object]) -> object:
    """What ``do`` returns when nobody calls it, in a fork of this process."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, pickle.dumps(do()))
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as answer:
        content = answer.read()
    os.waitpid(child, 0)
    return pickle.loads(content)
