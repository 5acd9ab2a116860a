"""The smallest app that answers: 14 bytes at "/", over WSGI."""

BODY = b"Hello, world!\n"


def app(environ, start_response):
    """Answers only GET, HEAD and POST at "/"."""
    found = environ["PATH_INFO"] == "/"
    body = BODY if found else b"Not found\n"
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    start_response("200 OK" if found else "404 Not Found", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
