"""The mistakes in a user's file: one line per mistake, in plain words, all at once."""

import difflib
import types
import typing
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from tui.profile.positions import KeyPath
from tui.profile.types import quoted
from tui.system.errors import UserError

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text in quotes",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "tuple_type": "a list",
    "string_too_short": "text that isn't empty",
    "too_short": "at least one entry",
}


@dataclass(frozen=True)
class Problem:
    """One mistake. ``str(problem)`` is one line: where, what was found, what is allowed or what to do."""

    file: str
    """The file, the override (``--set load.requests=x``), or the profile whose plan can't be made."""
    where: str
    """The key path; empty if the problem isn't with a single key."""
    found: str
    allowed: str = ""
    line: int | None = None
    """Counted from 1; None if the line isn't known for sure."""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line is not None else self.file
        found = f"{self.found}; {self.allowed}" if self.allowed else self.found
        return ": ".join(part for part in (place, self.where, found) if part)


class ProfileErrors(UserError):
    """All mistakes found, in order; ``str(error)`` has one line for each."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def nearest(name: str, known: Iterable[str]) -> str:
    """The hint for an unknown name: the nearest known one, or else all known ones."""
    names = sorted(known)
    if close := _close(name, names):
        return f'did you mean "{close}"?'
    return f"known: {', '.join(names)}" if names else "there are none"


def _close(name: str, names: Iterable[str]) -> str | None:
    return next(iter(difflib.get_close_matches(name, names, n=1)), None)


def key_text(path: KeyPath) -> str:
    """A key path as users write it: ``services[0].command``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def model_problems(
    error: ValidationError, model: type[BaseModel], problem: Callable[[KeyPath, str, str], Problem]
) -> list[Problem]:
    """pydantic's complaints in plain words; ``problem`` makes one of key path, found, allowed."""
    complaints = [(_without_tags(details["loc"]), details) for details in error.errors()]
    meant = {
        (*path[:-1], _close(str(path[-1]), _known_keys(model, path[:-1])))
        for path, details in complaints
        if details["type"] == "extra_forbidden"
    }
    return [
        problem(path, *_plain_words(details, path, model))
        for path, details in complaints
        if not (details["type"] == "missing" and path in meant)  # a misspelt key is one mistake, not two
    ]


def _without_tags(loc: tuple[str | int, ...]) -> KeyPath:
    """If a value may have several forms, pydantic puts the form's tag, "<own>", into the path."""
    return tuple(part for part in loc if not (isinstance(part, str) and part.startswith("<")))


def _plain_words(details: ErrorDetails, path: KeyPath, model: type[BaseModel]) -> tuple[str, str]:
    kind, context = details["type"], details.get("ctx", {})
    if kind == "missing":
        return "missing", _description(model, path)
    if kind == "extra_forbidden":
        return "unknown key", nearest(str(path[-1]), _known_keys(model, path[:-1]))
    found = f"found {quoted(details['input'])}"
    if kind == "value_error":
        text = str(context["error"])
        return (text, "") if text.startswith("found ") or not path else (f"{found}: {text}", "")
    if kind in _KINDS:
        return found, f"{_KINDS[kind]} is allowed"
    if kind == "literal_error":
        return found, f"allowed: {context['expected'].replace(chr(39), chr(34))}"
    for bound, words in (("ge", "at least"), ("gt", "more than"), ("le", "at most"), ("lt", "less than")):
        if bound in context:
            return found, f"{words} {context[bound]:g} is allowed"
    return found, details["msg"]


def forms(annotation: Any) -> Iterator[Any]:
    """The plain types that an annotation allows: of ``int | None`` both, without what Annotated adds."""
    origin = typing.get_origin(annotation)
    if origin is Annotated:
        yield from forms(typing.get_args(annotation)[0])
    elif origin in (typing.Union, types.UnionType):
        for part in typing.get_args(annotation):
            yield from forms(part)
    else:
        yield annotation


def annotation_at(model: Any, path: KeyPath) -> Any:
    """The annotation of the value at a key path below ``model``, or None if there is no such key."""
    annotation = model
    for part in path:
        annotation = _step(annotation, part)
    return annotation


def _step(annotation: Any, part: str | int) -> Any:
    for form in forms(annotation):
        if isinstance(form, type) and issubclass(form, BaseModel) and part in form.model_fields:
            return form.model_fields[str(part)].annotation
        if typing.get_origin(form) is dict:
            return typing.get_args(form)[1]
        if typing.get_origin(form) is tuple and isinstance(part, int):
            return typing.get_args(form)[0]
    return None


def _known_keys(model: type[BaseModel], path: KeyPath) -> list[str]:
    """The keys of the table at ``path``; a profile's name isn't a key of its file."""
    for form in forms(annotation_at(model, path)):
        if isinstance(form, type) and issubclass(form, BaseModel):
            return [key for key in form.model_fields if path or key != "name"]
    return []


def _description(model: type[BaseModel], path: KeyPath) -> str:
    for form in forms(annotation_at(model, path[:-1])):
        if isinstance(form, type) and issubclass(form, BaseModel) and path[-1] in form.model_fields:
            return form.model_fields[str(path[-1])].description or ""
    return ""
