"""Benchmarks run only when asked for (``pytest -n 0 -s -m benchmark tests/benchmarks``): they take a while and want
a quiet machine.
"""

import os
import shutil
import socket
import subprocess
import time

import pytest

STATIC_NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    open_file_cache max=10;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port} backlog=2048;
        root {folder}/www;
    }}
}}
"""


def pytest_collection_modifyitems(config, items):
    if "benchmark" in config.option.markexpr:
        return
    asked_for = [item for item in items if item.get_closest_marker("benchmark")]
    if asked_for:
        config.hook.pytest_deselected(items=asked_for)
        items[:] = [item for item in items if item not in asked_for]


@pytest.fixture
def two_cpus():
    """One CPU for the server and one for the load."""
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        pytest.skip("needs two CPUs: one for the server, one for the load")
    return usable[0], usable[-1]


@pytest.fixture
def static_nginx(two_cpus, tmp_path_factory):
    """The address of an nginx with one worker on the first CPU, whose / is a 14-byte file."""
    program = shutil.which("nginx") or shutil.which("/usr/sbin/nginx")
    if program is None:
        pytest.skip("not installed: nginx (apt install nginx)")
    folder = tmp_path_factory.mktemp("nginx")
    for above in [folder, *folder.parents[:2]]:
        above.chmod(0o755)  # the worker runs as nobody when the master runs as root
    (folder / "www").mkdir()
    (folder / "www/index.html").write_bytes(b"Hello, World!\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    (folder / "nginx.conf").write_text(STATIC_NGINX.format(folder=folder, port=port))
    command = [
        "taskset",
        "-c",
        str(two_cpus[0]),
        program,
        "-c",
        folder / "nginx.conf",
        "-e",
        folder / "error.log",
    ]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 0.2).close()
            break
        except OSError:
            time.sleep(0.02)
    yield f"127.0.0.1:{port}"
    process.terminate()
    process.wait(10)
