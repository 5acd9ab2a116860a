"""The example in the documentation of stacks, as the files that it asks a reader to write."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
STACKS = (ROOT / "docs" / "stacks.md").read_text()


def write_walk_through(folder: Path) -> None:
    """Write the files of "Adding one, in ten minutes", as a reader would type them."""
    blocks = re.findall(r"^   ```(?:toml|python)\n(.*?)^   ```$", STACKS, re.MULTILINE | re.DOTALL)
    stack, template, profile = (re.sub(r"^   ", "", block, flags=re.MULTILINE) for block in blocks)
    definition = folder / "stacks" / "wsgiref"
    definition.mkdir(parents=True)
    (definition / "stack.toml").write_text(stack)
    (definition / "serve.py").write_text(template)
    (folder / "wsgiref.toml").write_text(profile)
