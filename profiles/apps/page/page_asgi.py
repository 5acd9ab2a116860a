"""A dynamic page at "/", over ASGI."""

import page_view


async def app(scope, receive, send):
    """Answers GET, HEAD and POST at "/" and nothing else; there is nothing to do at start-up and shutdown."""
    if scope["type"] == "lifespan":
        await lifespan(receive, send)
        return
    found = scope["path"] == "/"
    body = page_view.body() if found else b"Not found\n"
    headers = [
        (b"content-type", b"text/%s; charset=utf-8" % (b"html" if found else b"plain")),
        (b"content-length", str(len(body)).encode()),
    ]
    await send({"type": "http.response.start", "status": 200 if found else 404, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})


async def lifespan(receive, send):
    """Answers the server's start-up and shutdown messages."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
