"""The ``[status.NAME]`` tables of a stack definition: where a server reports what is busy, and what to extract.

Where: an HTTP page (``url``, over a unix socket with ``socket``), a unix socket that answers by itself (``socket``
alone) or after it is sent something (``send``), a ``file``, or the output of a ``command``.

What: ``busy``, ``idle``, ``queue`` and ``requests`` are Jinja2 expressions, and so are the values that ``workers``
takes for each worker. They may use

* ``doc``, the document, of ``format = "json"``,
* the names in ``find``: of a text, the first group of a regular expression; of XML, the text at a path,
* ``rows``: of CSV, its rows by the names in its head; of a text, the named groups of every match of the regular
  expression ``rows``; of XML, the children of every element at the path ``rows``,
* ``reads``, how often this and other pages of the same server have been read in this run, including this time: for a
    server that counts those requests too.

What looks like a number in text, CSV or XML is a number. A missing name is an error, unless ``default(none)`` makes it
unknown.
"""

import re
from collections.abc import Iterator
from typing import Literal
from xml.etree import ElementTree

from pydantic import Field, model_validator

from tui.profile.models import Strict
from tui.profile.templated import Template, Templates, TruthTemplate
from tui.profile.types import Duration, PositiveDuration, quoted

Expression = str
"""A Jinja2 expression, without braces."""
VALUES = ("busy", "idle", "queue", "requests")


class StatusWorkers(Strict):
    """The workers one by one: ``it`` is one of ``each``."""

    each: Expression = Field(description="the list of them")
    pid: Expression = Field(description="the pid of its process")
    requests: Expression = Field("", description="how many requests it has answered so far")
    busy: Expression = Field("", description="whether it is working on one")


class StatusDefinition(Strict):
    """One status source. It is read at a slow rate under load, and once between two rounds."""

    url: Template = Field("", description="a page; over a unix socket if one is given")
    socket: Template = Field("", description="the path of a unix socket; without url it is read to the end")
    send: str = Field("", description="what is written to the socket first")
    file: Template = Field("", description="the absolute path of a file")
    command: Templates = Field((), description="a program that prints it, and its arguments")
    env: dict[str, Template] = Field(default_factory=dict, description="the command's further environment")
    when: TruthTemplate = "true"
    every: PositiveDuration = Field(5.0, description="how long to wait between two reads")
    stale: Duration = Field(
        0.0, description="how old its answer may be: the wait before a read between two rounds"
    )
    unit: str = Field("workers", description='what busy and idle count: "workers", "connections"')
    format: Literal["json", "text", "csv", "xml"]
    find: dict[str, str] = Field(default_factory=dict, description="names for parts of a text or of XML")
    rows: str = Field("", description="what repeats in a text or in XML")
    busy: Expression = ""
    idle: Expression = ""
    queue: Expression = Field("", description="how many requests are waiting")
    requests: Expression = Field("", description="how many requests it has answered so far")
    workers: StatusWorkers | None = None

    def expressions(self) -> Iterator[tuple[str, Expression, frozenset[str]]]:
        """Every expression, with its key and the names that it may use."""
        names = {"reads", *self.find}
        if self.format == "json":
            names.add("doc")
        if self.format == "csv" or self.rows:
            names.add("rows")
        for key in VALUES:
            if text := getattr(self, key):
                yield key, text, frozenset(names)
        for key, text in self.workers or ():
            if text:
                yield f"workers.{key}", text, frozenset(names | ({"it"} if key != "each" else set()))

    @model_validator(mode="after")
    def _one_place(self) -> "StatusDefinition":
        ways = [
            name
            for name in ("url", "socket", "file", "command")
            if getattr(self, name) and not (name == "socket" and self.url)
        ]
        if len(ways) != 1:
            raise ValueError(
                f"found {' and '.join(ways) or 'none'} of url, socket, file and command; set exactly one"
            )
        if self.send and ways != ["socket"]:
            raise ValueError("send goes with a socket and no url")
        return self

    @model_validator(mode="after")
    def _something_to_take(self) -> "StatusDefinition":
        if self.workers is None and not any(getattr(self, name) for name in VALUES):
            raise ValueError(f"takes nothing; set one of {', '.join(VALUES)} and workers")
        if (self.find or self.rows) and self.format not in ("text", "xml"):
            raise ValueError(f"find and rows go with text and xml; {self.format} is used as it is")
        for name, text in [*self.find.items(), *([("", self.rows)] if self.rows else [])]:
            _check_pattern(text, self.format, f"find.{name}" if name else "rows")
        return self


def _check_pattern(text: str, form: str, where: str) -> None:
    """A regular expression with a group in a text, a path in XML."""
    try:
        if form == "xml":
            ElementTree.Element("x").find(text)
            return
        pattern = re.compile(text)
    except (re.error, SyntaxError, TypeError, KeyError) as error:  # the last three of ElementPath
        kind = "path" if form == "xml" else "regular expression"
        raise ValueError(f"{where}: found {quoted(text)}, which is no {kind}: {error}") from None
    if where == "rows" and not pattern.groupindex:
        raise ValueError(f"{where}: found {quoted(text)}; name its groups: (?P<name>...)")
    if where != "rows" and pattern.groups != 1:
        raise ValueError(f"{where}: found {quoted(text)}; write one group (in brackets) for the value")
