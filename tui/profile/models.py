"""The contents of a profile, as checked values: which stack serves which app, on which CPUs, under which load.

A person reads the descriptions of the fields when a key is missing.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    ValidationInfo,
    field_validator,
    model_serializer,
)
from pydantic_core import PydanticCustomError

from tui.profile.types import CpuChoice, Duration, PositiveDuration, Rate, UrlPath, format_duration, quoted

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110, 5.6.2
_OUR_HEADERS = {"connection", "content-length", "transfer-encoding"}


class Strict(BaseModel):
    """A table of a profile, stack or app file: no unknown keys, no silent conversions, no later changes."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Expect(Strict):
    """The answer that counts as good. Anything else is an error, however fast it was."""

    status: int = Field(200, ge=100, le=599, description="the HTTP status of a good answer")
    body: str | None = Field(None, description="the whole body of a good answer")
    contains: str | None = Field(None, description="text that the body of a good answer contains")
    length: int | None = Field(None, ge=0, description="the number of bytes in the body of a good answer")


class OwnApp(Strict):
    """A person's own app: where it is and what the stack's interface needs to start it."""

    path: str = Field(
        min_length=1, description="the app's working folder; relative to the profile's folder, ~ is your home"
    )
    entry: str = Field(
        min_length=1,
        description='what the interface loads: "shop.wsgi:application", a config.ru, a script',
    )
    python: str | None = Field(
        None,
        description="a Python interpreter or a virtual environment's folder",
    )
    ruby: str | None = Field(None, description="a Ruby interpreter")
    env: dict[str, str] = Field(default_factory=dict, description="environment variables for the app")


LoadMode = Literal["closed", "open", "none", "command"]
_NEEDED = {"open": "rate", "command": "command"}
_ACTS: dict[str, tuple[LoadMode, ...]] = {
    "command": ("command",),
    "rate": ("open",),
    "arrivals": ("open",),
    "connections": ("closed", "open", "command"),
    "requests": ("closed", "open"),
    "keepalive": ("closed", "open", "command"),
    "warmup": ("closed", "open", "command"),
    "timeout": ("closed", "open"),
}
_REASONS: dict[LoadMode, str] = {
    "closed": 'mode = "closed" is set',
    "open": "load.rate makes the load",
    "none": 'mode = "none" sends nothing',
    "command": "load.command makes the load",
}


def cannot_act(mode: LoadMode) -> tuple[str, ...]:
    """The keys of a load that have no meaning in a mode."""
    return tuple(key for key, modes in _ACTS.items() if mode not in modes)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


class Load(Strict):
    """The load on the stack. Each round is one measurement with one bound.

    ``mode`` follows from the other keys, and is None if it isn't written; ``kind`` is what it comes to. A key that
    can't act in the mode is refused.
    """

    mode: LoadMode | None = Field(
        None, description='"none" for no load of ours; "open" follows from rate, "command" from command'
    )
    command: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] | None = Field(
        None,
        min_length=1,
        validate_default=True,
        description='another load generator, such as ["wrk", "-c100", "-d30s", "{{ url }}"]',
    )
    rate: Rate | None = Field(
        None, validate_default=True, description="requests per second, whatever the server does (open loop)"
    )
    arrivals: Literal["uniform", "poisson"] = Field(
        "uniform", description='how the requests of a rate are spaced: "uniform" or "poisson"'
    )
    path: UrlPath = Field("/", description='the path to request, such as "/page?id=1"')
    method: Literal["GET", "HEAD", "POST"] = Field("GET", description="the HTTP method")
    headers: dict[str, str] = Field(default_factory=dict, description="further request headers")
    body: str | None = Field(None, description="the body of a POST request")
    connections: int | None = Field(
        None, ge=1, validate_default=True, description="the most requests in flight at a time"
    )
    requests: int | None = Field(None, ge=1, description="requests per round, over all connections")
    duration: PositiveDuration | None = Field(
        None, validate_default=True, description='the length of a round, such as "30s"'
    )
    keepalive: bool = Field(False, description="whether a connection is used for more than one request")
    cpus: CpuChoice = Field("auto", description='the CPUs of the load generator: "auto", "1" or "0-3,8"')
    warmup: Duration = Field(
        cast(float, None),  # 2 s where load is put on, see _default_warmup
        ge=0,
        validate_default=True,
        description='uncounted load before the first round, such as "2s"',
    )
    rounds: int = Field(3, ge=1, description="how many rounds are measured")
    timeout: PositiveDuration = Field(10.0, description="the time after which a request counts as a timeout")

    @property
    def kind(self) -> LoadMode:
        """The mode that the keys come to."""
        return _kind(self.__dict__)

    @field_validator("warmup", mode="before")
    @classmethod
    def _default_warmup(cls, value: Any, info: ValidationInfo) -> Any:
        return value if value is not None else "0s" if _kind(info.data) == "none" else "2s"

    @field_validator(*_ACTS)
    @classmethod
    def _acts_in_the_mode(cls, value: Any, info: ValidationInfo) -> Any:
        key = str(info.field_name)
        kind = _kind({key: value} | info.data)
        if value is None and _NEEDED.get(kind) == key:
            raise PydanticCustomError("missing", "missing")
        if value not in (None, 0) and kind not in _ACTS[key]:  # none and 0 ask for nothing
            if key == "arrivals" and kind == "closed":
                raise ValueError(f"found {quoted(value)}; arrivals needs a rate: set load.rate, or remove it")
            raise ValueError(
                f"found {_as_written(key, value)}, and it can't act: {_REASONS[kind]}; remove one of them"
            )
        return value

    @field_validator("connections")
    @classmethod
    def _connections_of_ours(cls, connections: int | None, info: ValidationInfo) -> int | None:
        if connections is None and _kind(info.data) in ("closed", "open"):
            raise PydanticCustomError("missing", "missing")
        return connections

    @field_validator("requests")
    @classmethod
    def _one_for_each_connection(cls, requests: int | None, info: ValidationInfo) -> int | None:
        connections = info.data.get("connections") or 1
        if requests is not None and requests < connections and _kind(info.data) == "closed":
            raise ValueError(
                f"found {requests}, fewer than connections = {connections}, so that not all of them would be used; ask "
                "for more requests or fewer connections"
            )
        return requests

    @model_serializer(mode="wrap")
    def _without_what_cannot_act(self, serialise: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = serialise(self)
        return {key: value for key, value in written.items() if key not in cannot_act(self.kind)}

    @field_validator("headers")
    @classmethod
    def _headers_can_be_sent(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not _TOKEN.fullmatch(name):
                raise ValueError(f"found the header name {quoted(name)}; letters, digits and - are allowed")
            if name.lower() in _OUR_HEADERS:
                raise ValueError(f'found the header "{name}"; it is set by the load generator itself')
            if not value.isprintable():
                raise ValueError(f'found a line break or control character in the header "{name}"')
        return headers

    @field_validator("body")
    @classmethod
    def _body_is_sent(cls, body: str | None, info: ValidationInfo) -> str | None:
        method = info.data.get("method", "POST")
        if body is not None and method != "POST":
            raise ValueError(f'found a body with method = "{method}"; it needs method = "POST"')
        return body

    @field_validator("duration")
    @classmethod
    def _one_bound(cls, duration: float | None, info: ValidationInfo) -> float | None:
        kind = _kind(info.data)
        if kind == "none" and duration is None:
            raise ValueError(
                'found no duration; with mode = "none" a round needs one, such as duration = "30s"'
            )
        ours = kind in ("closed", "open") and "requests" in info.data
        if ours and (info.data["requests"] is None) == (duration is None):
            what = "neither requests nor duration" if duration is None else "both requests and duration"
            raise ValueError(f'found {what}; set exactly one: requests = 10_000 or duration = "30s"')
        return duration


def _kind(values: Mapping[str, Any]) -> LoadMode:
    if (mode := values.get("mode")) is not None:
        return cast(LoadMode, mode)
    if values.get("command") is not None:
        return "command"
    return "closed" if values.get("rate") is None else "open"


def _as_written(key: str, value: Any) -> str:
    return quoted(format_duration(value) if key in ("warmup", "timeout") else value)


def _app_form(value: Any) -> str:
    return "<own>" if isinstance(value, dict | OwnApp) else "<name>"


AppChoice = Annotated[
    Annotated[str, Tag("<name>")] | Annotated[OwnApp, Tag("<own>")], Discriminator(_app_form)
]


class Profile(Strict):
    """One thing to run. ``name`` comes from the file's name, everything else from its keys."""

    name: str = Field(description="the profile's name: its file name without .toml")
    title: str = Field(min_length=1, description="what this profile shows, in a few words")
    order: int = Field(1000, description="the position in lists; lower comes first, then by name")
    stack: str = Field(min_length=1, description="the stack that serves: a folder's name under stacks/")
    app: AppChoice | None = Field(
        None, description="the app that is served: a folder's name under apps/, or a table for your own"
    )
    workers: int = Field(1, ge=1, description="how many worker processes the stack runs")
    cpus: CpuChoice = Field("auto", description='the CPUs of the stack: "auto", "0" or "0-3,8"')
    pin: Literal["shared", "each"] = Field(
        "shared", description='"shared": every process on all of cpus; "each": one CPU per worker, in turn'
    )
    user: str | None = Field(None, description="who the stack runs as when stackdyno runs as root")
    options: dict[str, Any] = Field(default_factory=dict, description="options that the stack declares")
    load: Load = Field(description="the load: at least connections, and requests or duration")
    expect: Expect | None = Field(
        None, description="the expected answer; by default the app's, or status 200"
    )
    allow_remote: bool = Field(False, description="whether an external stack may be on another machine")
