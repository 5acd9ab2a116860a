"""Which run ``stackdyno stop`` means."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.commands.stop import choose
from tui.record.running import Running
from tui.system.errors import UserError
from tui.system.procfs import Identity

SUITE = Running("experiment", Path("/b/2026-12-01_03-00-00_suite_one"), Identity(3, 1), "S", 9.0)
OF_SUITE = Running("run", Path("/b/2026-12-01_03-00-01_shop"), Identity(4, 1), "S", 9.0, SUITE.folder)
SHOP = Running("run", Path("/a/2026-12-01_02-00-00_shop"), Identity(5, 1), "S", 9.0)


def test_without_a_name_the_only_one() -> None:
    assert choose([SHOP], None) == SHOP
    assert choose([OF_SUITE, SUITE], None) == SUITE


def test_without_a_name_several_are_named() -> None:
    with pytest.raises(UserError, match="2 are running") as refused:
        choose([SHOP, OF_SUITE, SUITE], None)
    assert SHOP.name in str(refused.value)
    assert SUITE.name in str(refused.value)
    assert OF_SUITE.name not in str(refused.value)
    with pytest.raises(UserError, match="nothing is running"):
        choose([], None)


@pytest.mark.parametrize("name", [SHOP.name, "2026-12-01_02", str(SHOP.folder), f"{SHOP.folder}/"])
def test_by_name_beginning_and_folder(name: str) -> None:
    assert choose([OF_SUITE, SHOP, SUITE], name) == SHOP


def test_a_profile_that_runs_twice_is_ambiguous() -> None:
    assert choose([SHOP, SUITE], "shop") == SHOP
    with pytest.raises(UserError, match="fits 2 that are running") as refused:
        choose([SHOP, OF_SUITE], "shop")
    assert str(OF_SUITE.folder) in str(refused.value)
    with pytest.raises(UserError, match=f"running: {SHOP.name}"):
        choose([SHOP], "django")
