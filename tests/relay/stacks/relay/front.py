"""Passes every TCP connection on to a unix socket: front.py PORT SOCKET."""

import asyncio
import signal
import sys


async def passed(reader, writer):
    """Copies what comes from one side to the other until it ends."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def main(port, path):
    """Serves until SIGINT."""

    async def connected(reader, writer):
        try:
            pool_reader, pool_writer = await asyncio.open_unix_connection(path)
        except OSError as error:
            print(f"pool: {error}", file=sys.stderr, flush=True)
            writer.close()
            return
        await asyncio.gather(passed(reader, pool_writer), passed(pool_reader, writer))

    await asyncio.start_server(connected, "127.0.0.1", port, backlog=512)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    await stop.wait()


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
