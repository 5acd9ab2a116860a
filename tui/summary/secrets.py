"""What an export doesn't hand on: passwords, tokens and keys that a profile gives to an app, a request or a generator.

The record keeps them, since a run must be repeatable; only its owner may read it. An export is passed around. So every
value of ``[app].env`` and of a header such as Authorization is masked where it stands, and what is a secret by its
name is masked wherever else its text occurs: in a URL, a process's title, a line of the server's log.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from pydantic import BaseModel, ValidationError

from tui.profile.overrides import apply_overrides
from tui.system.errors import UserError

Model = TypeVar("Model", bound=BaseModel)

MASK = "***"
SHORTEST = 8
"""Characters of a secret that is looked for elsewhere: a shorter one would be found in figures and names of folders."""
_NAMES = r"key|token|secret|passw|passphrase|passwd|pwd|credential|auth(?!ors?\b)|cookie|session|signature|dsn|private"
_NAME = re.compile(_NAMES, re.IGNORECASE)
_SCHEMES = ("basic", "bearer", "digest", "token")
_USERINFO = re.compile(r"(?<=://)([^/?#@\s]+)(?=@)")
_QUERY = re.compile(rf"(?<=[?&;])([\w.-]*(?:{_NAMES})[\w.-]*)=([^&;#\s\"'<>]+)", re.IGNORECASE)
_HEADER = re.compile(rf"^\s*([\w-]*(?:{_NAMES})[\w-]*)\s*:\s*(.+)$", re.IGNORECASE)


class Secrets:
    """The secrets of some profiles, to be masked in them and in any text."""

    def __init__(self, *profiles: Mapping[str, Any]) -> None:
        secrets = {secret for profile in profiles for secret in _secrets(profile)}
        found = {form for secret in secrets if len(secret) >= SHORTEST for form in _forms(secret)}
        longest_first = sorted(found, key=lambda text: (-len(text), text))
        self._known = (
            re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(map(re.escape, longest_first))})(?![A-Za-z0-9])")
            if found
            else None
        )

    def mask(self, text: str) -> str:
        """The text without them, and without what looks like a secret in any URL."""
        if self._known is not None:
            text = self._known.sub(MASK, text)
        text = _USERINFO.sub(MASK, text)
        return _QUERY.sub(rf"\1={MASK}", text)

    def masked_model(self, model: Model) -> Model:
        """The same with every text masked, before a table cuts or wraps it; as it is if its form forbids a mask."""
        try:
            return type(model).model_validate(_within(model.model_dump(by_alias=True), self.mask))
        except ValidationError:
            return model

    def masked_profile(self, profile: Mapping[str, Any]) -> dict[str, Any]:
        """One of the profiles as it may be handed on: the same keys, without the secrets."""
        masked: dict[str, Any] = _within(profile, self.mask)
        app, load = masked.get("app"), masked.get("load")
        if isinstance(app, dict) and isinstance(app.get("env"), dict):
            app["env"] = dict.fromkeys(app["env"], MASK)
        if isinstance(load, dict) and isinstance(load.get("headers"), dict):
            load["headers"] = {
                name: MASK if _NAME.search(name) else value for name, value in load["headers"].items()
            }
        return masked


def masked_setting(setting: str) -> str:
    """``load.headers.Authorization=***`` of a KEY=VALUE whose value an export masks; any other as it is."""
    try:
        tables = apply_overrides({}, [setting])
    except UserError:
        return setting
    return (
        setting if Secrets(tables).masked_profile(tables) == tables else f"{setting.partition('=')[0]}={MASK}"
    )


def _forms(secret: str) -> Iterator[str]:
    """As it stands in a text, in JSON, in HTML, in Markdown, and in a URL."""
    yield secret
    yield json.dumps(secret)[1:-1]
    yield json.dumps(secret, ensure_ascii=False)[1:-1]
    yield html.escape(secret)
    yield re.sub(r"([\\`*|\[\]&<])", r"\\\1", secret)
    yield quote(secret, safe="")
    yield unquote(secret)


def _secrets(profile: Mapping[str, Any]) -> Iterator[str]:
    app, load = profile.get("app"), profile.get("load")
    env = app.get("env") if isinstance(app, Mapping) else None
    headers = load.get("headers") if isinstance(load, Mapping) else None
    for table in (env, headers):
        for name, value in table.items() if isinstance(table, Mapping) else ():
            if _NAME.search(name):
                yield from _values(str(value))
    for text in _texts(profile):
        for userinfo in _USERINFO.findall(text):
            yield from (userinfo, userinfo.partition(":")[2])
        yield from (value for _, value in _QUERY.findall(text))
        if (header := _HEADER.match(text)) is not None:
            yield from _values(header[2])


def _values(value: str) -> Iterator[str]:
    """The whole and its parts: the token of "Bearer TOKEN", the values of a cookie's pairs."""
    yield value.strip()
    for part in re.split(r"[;,\s]+", value):
        if part.lower() not in _SCHEMES:
            yield part.partition("=")[2] or part


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)


def _within(value: Any, mask: Any) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: _within(each, mask) for key, each in value.items()}
    return [_within(each, mask) for each in value] if isinstance(value, list | tuple) else value
