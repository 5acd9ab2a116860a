"""What is looked up on this machine: programs and files by name and by pattern."""

import os
import tempfile
from pathlib import Path

import pytest

from tests.support.sampled_programs import as_another_user
from tui.plan import checks
from tui.plan.templates import environment


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, mode in (("php-fpm8.2", 0o755), ("php-fpm8.10", 0o755), ("php-fpm9.0", 0o644)):
        (tmp_path / name).touch(mode)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(checks, "_SYSTEM_FOLDERS", ())
    return tmp_path


def test_of_programs_that_fit_a_pattern_the_newest_that_can_be_executed_is_taken(programs: Path) -> None:
    newest = str(programs / "php-fpm8.10")
    assert checks.find_program("php-fpm[0-9]*") == newest
    assert checks.find_program(f"{programs}/php-fpm*") == newest
    assert checks.find_program("php-fpm8.2") == str(programs / "php-fpm8.2")
    assert checks.find_program("php-cgi[0-9]*") is None


def test_of_files_that_fit_a_pattern_the_newest_is_taken(programs: Path) -> None:
    assert checks.find_file(f"{programs}/php*") == str(programs / "php-fpm9.0")
    assert checks.find_file(f"{programs}/libphp*.so") is None


def test_templates_look_up_the_same_and_leave_what_is_not_there(programs: Path) -> None:
    template = environment([]).from_string("{{ 'php-fpm8*' | program }} {{ 'php-cgi' | program }}")
    assert template.render() == f"{programs / 'php-fpm8.10'} php-cgi"
    template = environment([]).from_string(f"{{{{ '{programs}/*9*' | file }}}} {{{{ '/no/where*' | file }}}}")
    assert template.render() == f"{programs / 'php-fpm9.0'} /no/where*"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_folder_of_the_path_that_may_not_be_searched_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        closed, free = Path(folder, "closed"), Path(folder, "free")
        (closed / "bin").mkdir(parents=True)
        closed.chmod(0o700)
        free.mkdir()
        free.chmod(0o755)
        (free / "php-fpm8.2").touch(0o755)
        monkeypatch.setenv("PATH", f"{closed}/bin:{free}")
        monkeypatch.setattr(checks, "_SYSTEM_FOLDERS", ())
        assert as_another_user(lambda: checks.find_program("php-fpm[0-9]*")) == str(free / "php-fpm8.2")
        assert as_another_user(lambda: checks.find_file(f"{closed}/bin/php*")) is None
        assert as_another_user(lambda: checks.has_module(f"{closed}/bin/python", "os", ask=True)) is False
