"""The file, loaded into memory at the start."""

from pathlib import Path

PATH = "/static.html"
BODY = (Path(__file__).parent / "public" / "static.html").read_bytes()
