"""A pool of workers behind a unix socket: pool.py SETTINGS [--log FILE].

The master puts itself into the background (two forks, a session of its own), writes its pid file, keeps the number
of workers, has a helper, ends at SIGUSR1, and leaves a file in /tmp. The command returns when the pid file is there.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path


def in_background():
    """Returns in the background process only; the command itself ends when that one has written a byte."""
    read, write = os.pipe()
    if os.fork():
        os.close(write)
        os._exit(0 if os.read(read, 1) else 1)
    os.close(read)
    os.setsid()
    if os.fork():
        os._exit(0)
    return write


def answers(listener, settings, log):
    """A worker: one connection after the other, as many as it may."""
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    body = Path(settings["text"]).read_bytes()[: settings["limit"]]
    given = 0
    while not settings["answers_per_worker"] or given < settings["answers_per_worker"]:
        connection, _ = listener.accept()
        with connection:
            request = b""
            while b"\r\n\r\n" not in request and (data := connection.recv(65536)):
                request += data
            if not request:
                continue
            found = request.split(b" ", 2)[1].startswith(b"/greeting")
            answer = body if found else b"Not found\n"
            status = b"200 OK" if found else b"404 Not Found"
            slogan = os.environ["SLOGAN"].encode()
            head = b"HTTP/1.1 %s\r\nX-Slogan: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
            connection.sendall(head % (status, slogan, len(answer)) + answer)
            given += 1
            if log:
                with Path(log).open("a") as file:
                    file.write(f"{os.getpid()} {status.decode()}\n")


class Pool:
    """The master."""

    def __init__(self, settings, log):
        self.settings, self.log = settings, log
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(settings["socket"])
        self.listener.listen(512)
        self.workers = set()
        self.stopping = False
        signal.signal(signal.SIGUSR1, signal.SIG_IGN if settings["stubborn"] else self.stop)
        self.helper = subprocess.Popen(["sleep", "600"])

    def start_worker(self):
        """Forks one worker."""
        pid = os.fork()
        if pid == 0:
            try:
                answers(self.listener, self.settings, self.log)
            finally:
                os._exit(0)
        self.workers.add(pid)
        if self.stopping:  # asked for between the fork and here
            os.kill(pid, signal.SIGTERM)

    def stop(self, *_):
        """Asks all to end; the rest is done where their ends are seen."""
        self.stopping = True
        self.helper.terminate()
        for pid in self.workers:
            os.kill(pid, signal.SIGTERM)

    def run(self):
        """Keeps the number of workers until it stops."""
        while not (self.stopping and not self.workers):
            while not self.stopping and len(self.workers) < self.settings["workers"]:
                self.start_worker()
            pid, _ = os.wait()
            self.workers.discard(pid)


def main():
    """Starts the pool in the background and cleans up after it, but for its leftovers."""
    settings = json.loads(Path(sys.argv[1]).read_text())
    log = sys.argv[3] if len(sys.argv) > 2 else None
    write = in_background()
    pool = Pool(settings, log)
    Path(settings["leftovers"]).write_text(f"{time.time()}\n")
    Path(settings["pid_file"]).write_text(str(os.getpid()))  # as Passenger does, without a line's end
    os.write(write, b".")
    os.close(write)
    pool.run()
    Path(settings["pid_file"]).unlink()


main()
