import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

import pytest

from tests.support.installed import nginx_program
from tests.support.raw_server import RawServer


@pytest.fixture
def serve():
    servers = []

    def start(play, **options):
        servers.append(RawServer(play, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port, process, deadline=10.0):
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        assert process.poll() is None, "the server ended before it listened"
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            return
        except OSError:
            time.sleep(0.02)
    raise AssertionError(f"nothing listens on {port}")


NGINX_CONF = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log {folder}/access.log;
    keepalive_requests 1000000;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} default_server;
        listen unix:{folder}/n.sock default_server;
        root {folder}/www;
        location /ten/ {{ alias {folder}/www/; keepalive_requests 10; }}
    }}
    server {{
        listen 127.0.0.1:{port};
        server_name other.example;
        return 418;
    }}
}}
"""


class Nginx:
    body = b"Hello, World!\n"

    def __init__(self, folder, port):
        self._log = folder / "access.log"
        self.address = f"127.0.0.1:{port}"
        self.socket = folder / "n.sock"
        folder.chmod(0o755)
        (folder / "www").mkdir()
        (folder / "www/index.html").write_bytes(self.body)
        (folder / "nginx.conf").write_text(NGINX_CONF.format(folder=folder, port=port))
        self._process = subprocess.Popen(
            [nginx_program(), "-c", folder / "nginx.conf", "-e", folder / "error.log"], start_new_session=True
        )
        wait_for_port(port, self._process)

    def requests_logged(self, expected):
        """Lines in the access log, once there are as many as expected, or after two seconds."""
        end = time.monotonic() + 2
        while (count := self._log.read_bytes().count(b"\n")) < expected and time.monotonic() < end:
            time.sleep(0.01)
        return count

    def kill(self):
        """End master and worker at once. They are a session of their own."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()


@pytest.fixture
def nginx():
    nginx_program()
    with tempfile.TemporaryDirectory(prefix="sd-") as folder:
        server = Nginx(pathlib.Path(folder), free_port())
        yield server
        server.kill()


APP = """
def application(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "14")])
    return [b"Hello, World!\\n"]
"""


@pytest.fixture
def gunicorn(tmp_path):
    """The address of two gunicorn sync workers."""
    (tmp_path / "app.py").write_text(APP)
    port = free_port()
    command = [
        "-m",
        "gunicorn",
        "--no-control-socket",
        "-w",
        "2",
        "-b",
        f"127.0.0.1:{port}",
        "app:application",
    ]
    process = subprocess.Popen([sys.executable, *command], cwd=tmp_path, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(port, process)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(10)
