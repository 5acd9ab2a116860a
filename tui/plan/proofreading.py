"""``stackdyno profiles check``: every problem of every file at once, without a run, whatever is installed."""

from collections.abc import Sequence
from pathlib import Path

from tui.plan.planning import pairing_problems, template_folders
from tui.plan.templates import template_problems
from tui.profile.catalogue import Catalogue
from tui.profile.problems import Problem, ProfileErrors


def check_files(catalogue: Catalogue, paths: Sequence[Path] | None = None) -> list[Problem]:
    """What is wrong with these profile, stack and app files, or with the whole catalogue, in the files' order."""
    problems = []
    for path in catalogue.files() if paths is None else paths:
        problems += catalogue.check(path) or _deeper(path, catalogue)
    return list(dict.fromkeys(problems))


def _deeper(path: Path, catalogue: Catalogue) -> list[Problem]:
    """What shows only in a file that is valid by itself: undefined names, an app that the stack can't serve."""
    try:
        if path.name == "stack.toml":
            definition = catalogue.stack_at(path)
            return template_problems(definition, template_folders(path.parent, catalogue))
        if path.name != "app.toml":
            return pairing_problems(catalogue.load(str(path.absolute())), catalogue)
    except ProfileErrors as errors:
        return list(errors.problems)
    return []
