"""An app with a lot of memory and a small answer at "/" and "/collected", over ASGI."""

import heavy_data


async def app(scope, receive, send):
    """Answers GET, HEAD and POST for these and nothing else; there is nothing to do at start-up and shutdown."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    answer = heavy_data.answer(scope["path"])
    body = b"Not found\n" if answer is None else answer
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 404 if answer is None else 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


async def lifespan(receive, send):
    """Answers the server's start-up and shutdown messages."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
