"""What `resolve` prints as JSON: the effective configuration of stores."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.schema.checks import FilePath, LineNumber
from trialrun.outputs.schema.views import Assumptions, DocumentError

Level = Literal["brand-default", "brand-binding", "store-default", "store-binding"]
Pointer = Annotated[str, Field(description="JSON Pointer into the value")]


class Origin(TypedDict):
    """Where a value comes from."""

    level: Level
    rule: NotRequired[Annotated[str, Field(description="the config application rule; only for a binding")]]
    config: Annotated[str | None, Field(description="the name of the ChannelConfig")]
    path: FilePath
    line: LineNumber


Sourced = TypedDict("Sourced", {"from": Origin})


class OverriddenValue(Origin):
    """A value and where it comes from."""

    value: Any


class ValueOrigin(Origin):
    """Where a value comes from, and what it overrode."""

    overrode: Annotated[list[OverriddenValue], Field(description="most recently overridden first")]


class Clash(TypedDict):
    """Two values of the same level for the same field."""

    sort: Annotated[Literal["level", "priority"], Field(description="what both have in common")]
    pointer: Pointer
    winner: OverriddenValue
    loser: OverriddenValue
    settled: Annotated[Origin | None, Field(description="a later level that overrides both, if any")]


class RuleError(DocumentError):
    """An error in a document, with its rule."""

    rule: str


class EffectiveType(TypedDict):
    """The effective configuration of one type."""

    value: dict[str, Any]
    origins: Annotated[dict[Pointer, ValueOrigin], Field(description="by JSON Pointer into the value")]
    layers: Annotated[list[Origin], Field(description="the configs, in the order of application")]
    clashes: list[Clash]


class Unapplied(Origin):
    """A default or a binding without effect."""

    reason: str


class ResolvedStore(TypedDict):
    """`trialrun resolve STORE --output-format json`."""

    version: Literal[1]
    store: str
    types: dict[str, EffectiveType]
    unapplied: list[Unapplied]
    assumptions: Assumptions
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class EffectiveField(TypedDict):
    """The effective value of a field in one type."""

    pointer: Pointer
    value: Any
    origins: dict[Pointer, ValueOrigin]


class ResolvedField(TypedDict):
    """`resolve STORE --field PATH`."""

    version: Literal[1]
    store: str
    field: str
    types: Annotated[dict[str, EffectiveField], Field(description="the types that set it")]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class Difference(TypedDict):
    """A place where a group of stores differs from the first group."""

    type: str
    path: list[str | int]
    pointer: Annotated[str | None, Field(description="null where the group has no value")]
    value: NotRequired[Any]


class StoreGroup(TypedDict):
    """Stores with the same effective configuration."""

    stores: list[str]
    differs: Annotated[list[Difference], Field(description="empty for the first group")]


class StoreMatrix(TypedDict):
    """`resolve --all-stores`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    types: Annotated[dict[str, Any], Field(description="the effective configuration of the first group")]
    groups: list[StoreGroup]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


class FieldGroup(TypedDict):
    """Stores with the same value of a field."""

    types: dict[str, Any]
    stores: list[str]


class FieldMatrix(TypedDict):
    """`resolve --all-stores --field PATH`."""

    version: Literal[1]
    stores: Annotated[int, Field(ge=0, description="number of stores")]
    field: str
    groups: list[FieldGroup]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]


ResolveOutput = ResolvedStore | ResolvedField | StoreMatrix | FieldMatrix


class SpokenText(TypedDict):
    """What is said of one thing to customers of a language."""

    kind: Literal["greeting", "greeting-offer", "closing-offer"]
    title: Annotated[str, Field(description="the upsell, and its message if it has a name of its own")]
    source: Annotated[
        Literal["own", "fallback", "none"],
        Field(description="own: in the customer's language; fallback: in another one; none: nothing is said"),
    ]
    texts: Annotated[list[str], Field(description="all that may be said")]
    tag: Annotated[str | None, Field(description="the language of the texts; null if they have none")]
    why: NotRequired[Annotated[str, Field(description="why nothing is said")]]


TextOrigin = TypedDict("TextOrigin", {"from": NotRequired[Origin]})


class LanguageText(SpokenText, TextOrigin):
    """A text, and where it comes from."""


class LanguageRow(TypedDict):
    """What customers of a language hear."""

    tag: str
    name: Annotated[str | None, Field(description="the English name of the language")]
    gaps: Annotated[int, Field(ge=0, description="number of texts that are missing")]
    fallbacks: Annotated[int, Field(ge=0, description="number of texts in another language")]
    texts: list[LanguageText]


class LanguageGroup(TypedDict):
    """Stores at which customers hear the same."""

    stores: list[str]
    default: Annotated[str | None, Field(description="the default language")]
    silent: NotRequired[Annotated[str, Field(description="why the agent says nothing")]]
    languages: Annotated[list[LanguageRow], Field(description="those with the most gaps first")]


class LanguagesOutput(TypedDict):
    """`trialrun languages [STORE] --output-format json`."""

    version: Literal[1]
    groups: Annotated[list[LanguageGroup], Field(description="the largest first")]
    errors: Annotated[list[RuleError], Field(description="errors in the documents; the exit code is then 1")]
