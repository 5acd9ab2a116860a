"""How an app on Node is named and ends."""

from __future__ import annotations

import socket
from pathlib import Path

from tests.support.serving import served
from tui.system.procfs import read_cmdline


def test_it_ends_by_sigterm_although_a_client_keeps_its_connection(tmp_path: Path) -> None:
    with served("hello", "node", tmp_path) as server, socket.socket(socket.AF_UNIX) as client:
        assert (read_cmdline(server.process.pid) or "").strip() == "hello server"
        client.settimeout(10)
        client.connect(str(tmp_path / "socket"))
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert client.recv(4096).startswith(b"HTTP/1.1 200 OK")
        server.process.terminate()
        assert server.process.wait(10) == 0
        assert client.recv(4096) == b""
        assert not (tmp_path / "socket").exists()
        assert server.log.read_text() == ""
