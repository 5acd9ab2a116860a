"""What holds for the tests themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported(source: str) -> Iterator[str]:
    """The modules of tests that a source imports, wherever in it; `from a import b` may mean a.b."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] == "tests")


def test_tests_import_of_tests_nothing_but_what_is_there_for_all() -> None:
    """One that imports another test, or a conftest, is lost when that moves: what two need lies in tests/support."""
    found = [
        f"{path.relative_to(TESTS)}: {name}"
        for path in TESTS.rglob("*.py")
        for name in imported(path.read_text())
        if not name.startswith("tests.support")
    ]
    assert found == []


def test_such_an_import_is_seen_in_every_form() -> None:
    source = "import tests.a\ndef f():\n    from tests.b import c\nfrom tests import d\nimport os"
    assert list(imported(source)) == ["tests.a", "tests.d", "tests.b.c"]


def test_commands_print_by_the_functions_that_clean() -> None:
    """What is printed holds titles, command lines and names of others."""
    commands = TESTS.parent / "tui" / "commands"
    found = [
        f"{path.name}:{node.lineno}"
        for path in commands.glob("*.py")
        if path.name != "output.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert found == []
