"""A server that serves well but for one thing: ``odd_server.py PORT HABIT``.

``good`` answers after 20 ms and does with the connection what it is asked to; ``leaves-open`` never closes a
connection, and ``closes`` always does. Every tenth answer of ``fails`` has status 503, and every tenth of ``garbles``
another body; ``falters`` closes every tenth connection without an answer. ``slows`` takes longer with each answer,
and ``works`` uses 5 ms of CPU for each instead of waiting.
"""

import asyncio
import itertools
import sys
import time

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
ODD = {
    "fails": b"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nbusy",
    "garbles": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhallo",
    "falters": b"",
}
NUMBERS = itertools.count(1)


def time_for(habit, number):
    """Seconds that an answer takes."""
    return 0.02 + 0.00002 * number if habit == "slows" else 0.02


def work(seconds):
    """Use so much CPU."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


async def connected(reader, writer):
    """Serve one connection until one side closes it."""
    habit = sys.argv[2]
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            number = next(NUMBERS)
            if habit == "works":
                work(0.005)
            else:
                await asyncio.sleep(time_for(habit, number))
            answer = ODD.get(habit, GOOD) if number % 10 == 0 else GOOD
            writer.write(answer)
            await writer.drain()
            asked = b"connection: close" in head.lower()
            if not answer or habit == "closes" or (asked and habit != "leaves-open"):
                return
    except (asyncio.IncompleteReadError, ConnectionError):
        return
    finally:
        writer.close()


async def main():
    """Serve until somebody ends us."""
    server = await asyncio.start_server(connected, "127.0.0.1", int(sys.argv[1]), backlog=128)
    await server.serve_forever()


asyncio.run(main())
