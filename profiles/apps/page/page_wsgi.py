"""A dynamic page at "/", over WSGI."""

import page_view


def app(environ, start_response):
    """Answers only GET, HEAD and POST at "/"."""
    found = environ["PATH_INFO"] == "/"
    body = page_view.body() if found else b"Not found\n"
    headers = [
        ("Content-Type", f"text/{'html' if found else 'plain'}; charset=utf-8"),
        ("Content-Length", str(len(body))),
    ]
    start_response("200 OK" if found else "404 Not Found", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
