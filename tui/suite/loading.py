"""Finds suites and turns a file into a checked suite; it reports every mistake at once, as for profiles.

Suites are in the folder ``suites`` of a folder of profiles; the same folders are searched, in the same order.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from tui.profile.catalogue import Catalogue
from tui.profile.loading import TomlFile, read_toml, validated, with_present_names
from tui.profile.overrides import parse_override
from tui.profile.positions import KeyPath
from tui.profile.problems import Problem, ProfileErrors, nearest
from tui.profile.types import quoted
from tui.suite.models import Suite
from tui.system.errors import UserError

FOLDER = "suites"
_OLD_NAMES: dict[KeyPath, str] = {("entrant",): "variant", ("table", "entrants"): "variants"}


def _read(path: Path) -> TomlFile:
    return with_present_names(read_toml(path), _OLD_NAMES)


def suite_files(catalogue: Catalogue) -> list[Path]:
    """Every suite of every folder, including those that are hidden by another suite of the same name."""
    return [path for folder in catalogue.folders for path in sorted((folder / FOLDER).glob("*.toml"))]


def named_suites(catalogue: Catalogue) -> dict[str, Path]:
    """The suites that a name finds, by name."""
    found: dict[str, Path] = {}
    for path in suite_files(catalogue):
        found.setdefault(path.stem, path)
    return dict(sorted(found.items()))


def find_suite(name: str, catalogue: Catalogue) -> Path:
    """The absolute path of a suite's file, by name or by path (something with a slash or ``.toml``).

    Raises:
        UserError: There is no such suite.
    """
    if "/" in name or name.endswith(".toml"):
        path = Path(name).expanduser().absolute()
        if not os.access(path, os.F_OK):
            raise UserError(f"{name}: no such file")
        return path
    known = named_suites(catalogue)
    if name not in known:
        raise UserError(f'there is no suite "{name}"; {nearest(name, known)}')
    return known[name].absolute()


def is_suite(path: Path) -> bool:
    """Whether a file is a suite and not a profile, judged by its folder or by its variants."""
    if path.absolute().parent.name == FOLDER:
        return True
    try:
        return "variant" in _read(path).tables
    except ProfileErrors:
        return False


def load_suite(path: Path, catalogue: Catalogue) -> Suite:
    """The checked suite.

    Raises:
        ProfileErrors: Every mistake in it and in its variants' profiles.
    """
    file = _read(path)
    suite = validated(file, Suite, file.tables)
    problems = [
        *_label_problems(file, suite),
        *_override_problems(file, suite),
    ] or list(_profile_problems(file, suite, catalogue))
    if problems:
        raise ProfileErrors(problems)
    return suite


def check_suite(path: Path, catalogue: Catalogue) -> list[Problem]:
    """Every problem of one file."""
    try:
        load_suite(path, catalogue)
    except ProfileErrors as errors:
        return list(errors.problems)
    return []


def profile_of(variant_profile: str, path: Path) -> str:
    """How other code refers to a variant's profile: its name, or its absolute path."""
    if "/" in variant_profile or variant_profile.endswith(".toml"):
        return str((path.absolute().parent / Path(variant_profile).expanduser()).resolve())
    return variant_profile


def _label_problems(file: TomlFile, suite: Suite) -> Iterator[Problem]:
    labels = [variant.label for variant in suite.variant]
    for index, label in enumerate(labels):
        if label in labels[:index]:
            found = f"found {quoted(label)} a second time"
            yield file.problem(("variant", index, "label"), found, "each variant needs its own label")

    def unknown(path: KeyPath, label: str) -> Iterator[Problem]:
        if label not in labels:
            found = f"found {quoted(label)}, but no variant has that label"
            yield file.problem(path, found, nearest(label, labels))

    for number, table in enumerate(suite.table):
        for place, label in enumerate(table.variants):
            yield from unknown(("table", number, "variants", place), label)
    for number, question in enumerate(suite.question):
        yield from unknown(("question", number, "of"), question.of)
        yield from unknown(("question", number, "over"), question.over)


def _override_problems(file: TomlFile, suite: Suite) -> Iterator[Problem]:
    """A problem for each text that isn't KEY=VALUE."""
    lists: list[tuple[KeyPath, Sequence[str]]] = [(("set",), suite.set)]
    lists += [(("variant", index, "set"), variant.set) for index, variant in enumerate(suite.variant)]
    for path, texts in lists:
        for place, text in enumerate(texts):
            try:
                parse_override(text)
            except UserError:
                allowed = 'write KEY=VALUE, such as "workers=8"'
                yield file.problem((*path, place), f"found {quoted(text)}", allowed)


def _profile_problems(file: TomlFile, suite: Suite, catalogue: Catalogue) -> Iterator[Problem]:
    """What is wrong with each variant's profile after all of the suite's settings."""
    for index, variant in enumerate(suite.variant):
        try:
            catalogue.load(profile_of(variant.profile, file.path), (*suite.set, *variant.set))
        except ProfileErrors as errors:
            for problem in errors.problems:
                yield file.problem(("variant", index, "profile"), str(problem))
        except UserError as error:
            yield file.problem(("variant", index, "profile"), str(error))
