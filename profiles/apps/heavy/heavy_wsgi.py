"""An app with a lot of memory and a small answer at "/", over WSGI."""

from heavy_data import BODY


def app(environ, start_response):
    """Answers GET, HEAD and POST at "/" and nothing else."""
    found = environ["PATH_INFO"] == "/"
    body = BODY if found else b"Not found\n"
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    start_response("200 OK" if found else "404 Not Found", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
