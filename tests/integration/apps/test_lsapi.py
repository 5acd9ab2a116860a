"""The scripts for LiteSpeed, against a stand-in of ruby-lsapi, which no distribution has.

The real one is tried where an OpenLiteSpeed is installed, with its stack.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.serving import APPS, OFFERED, needs_of_ruby

STAND_IN = """
# As the library documents it: accept makes ENV the next request's, and gives nil when there is none.
module LSAPI
  REQUESTS = [%w[GET /], %w[GET /?x=1], %w[HEAD /], %w[GET /nowhere]]
  def self.accept
    method, uri = REQUESTS.shift
    method && ENV.update("REQUEST_METHOD" => method, "REQUEST_URI" => uri)
  end
end
"""


@pytest.mark.parametrize("app", [name for name, app in OFFERED.items() if "lsapi" in app.interfaces])
def test_the_answers_are_as_app_toml_says(app: str, tmp_path: Path) -> None:
    needs_of_ruby()
    (tmp_path / "lsapi.rb").write_text(STAND_IN)
    script = APPS / app / OFFERED[app].interfaces["lsapi"].entry
    done = subprocess.run(
        [script], env=dict(os.environ, RUBYLIB=str(tmp_path)), capture_output=True, timeout=60, check=True
    )
    body = OFFERED[app].expect.body
    assert body is not None
    found, missing = head(200, len(body)), head(404, 10)
    assert done.stdout.decode() == f"{found}{body}{found}{body}{found}{missing}Not found\n"


def head(status: int, length: int) -> str:
    headers = [f"Status: {status}", "Content-Type: text/plain; charset=utf-8", f"Content-Length: {length}"]
    return "\r\n".join(headers) + "\r\n\r\n"
