"""A file of 53.8 KB at "/static.html", over ASGI."""

import sys

from static_file import BODY, PATH

sys.path.append(f"{__file__.rpartition('/')[0]}/../_shared")
from over_asgi import HTML, app_of

app = app_of({PATH: BODY}.get, HTML)
