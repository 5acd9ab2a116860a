"""An app with a lot of memory and a small answer at "/" and "/collected", over WSGI."""

import heavy_data


def app(environ, start_response):
    """Answers only GET, HEAD and POST for these."""
    answer = heavy_data.answer(environ["PATH_INFO"])
    body = b"Not found\n" if answer is None else answer
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    start_response("404 Not Found" if answer is None else "200 OK", headers)
    return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
