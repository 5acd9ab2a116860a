"""The console over a real SSH connection that is lost in the middle of a run."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.terminal import Opener, Terminal, newest, until_ended, words


def program(name: str, package: str) -> str:
    found = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    if found is None:
        pytest.skip(f"not installed: {name} (apt install {package})")
    return found


@pytest.fixture
def ssh(tmp_path: Path) -> Iterator[list[str]]:
    """An sshd of our own on a free port, and the words that connect to it."""
    sshd, keygen = program("sshd", "openssh-server"), program("ssh-keygen", "openssh-client")
    for key in ("host", "user"):
        subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / key)], check=True)
    (tmp_path / "authorized").write_bytes((tmp_path / "user.pub").read_bytes())
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd's privilege separation folder
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    settings = {
        "ListenAddress": f"127.0.0.1:{port}",
        "HostKey": tmp_path / "host",
        "AuthorizedKeysFile": tmp_path / "authorized",
        "PidFile": "none",
        "StrictModes": "no",
        "UsePAM": "no",
        "PermitRootLogin": "yes",
    }
    server = subprocess.Popen(
        [sshd, "-D", "-e", "-f", os.devnull, *(f"-o{name}={value}" for name, value in settings.items())],
        stderr=(tmp_path / "sshd.log").open("w"),
    )
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    yield [
        program("ssh", "openssh-client"), "-tt", "-q", "-F", os.devnull, "-p", str(port),
        "-i", str(tmp_path / "user"), "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
        f"{getpass.getuser()}@127.0.0.1",
    ]  # fmt: skip
    server.terminate()
    server.wait(10)


def test_a_lost_connection_leaves_the_run_and_attach_shows_it(
    ssh: list[str], runs: Path, profiles: Path, terminal: Opener
) -> None:
    command = f"cd {Path.cwd()} && exec {' '.join(words(runs, '--profiles', str(profiles)))}"
    screen = Terminal([*ssh, command], 120, 40)
    try:
        screen.wait_for("A quick one", 30)
        screen.press("r")
        screen.wait_for("round 1 of 2", 30)
    finally:
        screen.close()
    record = newest(runs)
    attached = terminal("attach", record.name)
    attached.wait_for(r"requests/s.*no errors", 30)
    state = until_ended(record)
    assert state.ended is not None
    assert state.ended.verdict == "good"
    assert {point.round for point in state.rate} == {None, 1, 2}
