"""The line of every key, as an editor counts lines."""

from tui.profile.positions import key_lines, line_of

TEXT = '''\
# a comment
title = "t"

[load]
path = """
[not.a.table]
connections = 1
"""
headers = { A = "1", B = "2" }
cpus = [
  "0",  # inside a list
  { x = 1 },
]

[[services]]
name = "a"
[[services.roles]]
role = "worker"
[[services]]
stop.signal = "TERM"
[[services.roles]]
role = "front"
[[services.roles]]
depth = 1
'''


def test_every_key_has_the_line_of_its_statement() -> None:
    lines = key_lines(TEXT)
    expected = {
        ("title",): 2,
        ("load",): 4,
        ("load", "path"): 5,
        ("load", "headers"): 9,
        ("load", "headers", "B"): 9,
        ("load", "cpus"): 10,
        ("load", "cpus", 1, "x"): 10,
        ("services", 0): 15,
        ("services", 0, "roles", 0, "role"): 18,
        ("services", 1, "stop", "signal"): 20,
        ("services", 1, "roles", 0): 21,
        ("services", 1, "roles", 1, "depth"): 24,
    }
    assert {path: lines.get(path) for path in expected} == expected
    assert ("not", "a", "table") not in lines
    assert ("load", "connections") not in lines


def test_a_missing_key_is_told_at_its_table_and_nowhere_when_that_has_no_line() -> None:
    lines = key_lines(TEXT)
    assert line_of(("load", "connections"), lines) == 4
    assert line_of(("services", 1, "roles", 1, "match"), lines) == 23
    assert line_of(("stack",), lines) is None


def test_a_line_separator_that_is_none_for_toml_counts_no_line() -> None:
    assert key_lines('a = "x\u2028y"\r\nb = 1\r\n')["b",] == 2
