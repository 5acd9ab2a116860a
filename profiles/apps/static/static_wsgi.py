"""A file of 53.8 KB at "/static.html", over WSGI."""

from static_file import BODY, PATH


def app(environ, start_response):
    """Answers only GET, HEAD and POST for the file."""
    found = environ["PATH_INFO"] == PATH
    body = BODY if found else b"Not found\n"
    headers = [
        ("Content-Type", f"text/{'html' if found else 'plain'}; charset=utf-8"),
        ("Content-Length", str(len(body))),
    ]
    start_response("200 OK" if found else "404 Not Found", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
