"""The contents of a suite file, as checked values; users read the descriptions if a key is missing."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator

from tui.findings.codes import CODES
from tui.profile.models import Strict
from tui.profile.types import quoted

Kind = Literal["speed", "memory", "rounds"]
Quantity = Literal["rate", "p50", "p99", "cpu", "memory", "cold-start", "idle-memory"]


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


Texts = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]


class SuiteVariant(Strict):
    """One thing that is measured."""

    label: str = Field(min_length=1, max_length=40, description="its name in the tables, in a few words")
    profile: str = Field(
        min_length=1, description="a profile's name, or a path relative to the suite's folder"
    )
    set: Texts = Field((), description='settings that override the profile, such as ["workers=8"]')
    allow: Texts = Field((), description="codes of findings that are shown here on purpose")

    @field_validator("allow")
    @classmethod
    def _codes(cls, allow: tuple[str, ...]) -> tuple[str, ...]:
        for code in allow:
            if code not in CODES:
                raise ValueError(f"found {quoted(code)}, but no finding has that code; see docs/findings.md")
        return allow


class SuiteTable(Strict):
    """One printed table."""

    title: str = Field(min_length=1, description="the heading of the table")
    kind: Kind = Field(description='"speed", "memory" or "rounds"')
    variants: Texts = Field((), description="labels of the variants in it; by default all")


class SuiteQuestion(Strict):
    """A quantity that one variant has more or less of than another."""

    text: str = Field(min_length=1, description='the question, such as "memory saved by preload"')
    quantity: Quantity = Field(description='the quantity that it is about, such as "memory"')
    of: str = Field(description="the label of the variant that the question is about")
    over: str = Field(description="the label of the variant that it is compared with")

    @field_validator("over")
    @classmethod
    def _two(cls, over: str, info: ValidationInfo) -> str:
        if over == info.data.get("of"):
            raise ValueError(f"found {quoted(over)}, the same variant as in of; name another variant")
        return over


class Suite(Strict):
    """A whole file."""

    title: str = Field(min_length=1, description="what the suite shows, in a few words")
    source: str = Field("", description="where the comparison comes from")
    starts: int = Field(1, ge=1, description="fresh runs of each variant")
    set: Texts = Field((), description="settings for all variants, such as cpus=0")
    variant: Annotated[tuple[SuiteVariant, ...], BeforeValidator(_as_tuple)] = Field(
        description="[[variant]] with label and profile: what is measured, in this order"
    )
    table: Annotated[tuple[SuiteTable, ...], BeforeValidator(_as_tuple)] = Field(
        description="[[table]] with title and kind: what is printed"
    )
    question: Annotated[tuple[SuiteQuestion, ...], BeforeValidator(_as_tuple)] = Field(
        (), description="[[question]] with text, quantity, of and over"
    )

    @field_validator("variant", "table")
    @classmethod
    def _some(cls, listed: tuple[Strict, ...]) -> tuple[Strict, ...]:
        if not listed:
            raise ValueError("found none, but at least one is needed")
        return listed
