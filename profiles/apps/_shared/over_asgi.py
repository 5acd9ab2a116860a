"""Shared by the apps over ASGI: the protocol's messages, and 404 for unknown paths."""

HTML = b"text/html; charset=utf-8"
PLAIN = b"text/plain; charset=utf-8"


def app_of(answer, content_type):
    """An app for GET, HEAD and POST: ``answer(path)`` is the body, or None if there is none."""

    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            await lifespan(receive, send)
            return
        body, status, kind = answer(scope["path"]), 200, content_type
        if body is None:
            body, status, kind = b"Not found\n", 404, PLAIN
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    return app


async def lifespan(receive, send):
    """Answers the server's startup and shutdown messages; nothing else to do."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
