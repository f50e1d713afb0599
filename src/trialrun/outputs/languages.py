"""What `languages` prints as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.origin import Origin, RuleError, origin_object
from trialrun.values.language_tag import english_name

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.dialogue import languages
    from trialrun.runtime.channel_config.dialogue.languages import LanguageTable


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


def languages_object(groups: Sequence[tuple[Sequence[str], LanguageTable]]) -> dict[str, Any]:
    """The object of groups of stores, by name, that say the same in every language."""
    return {"version": 1, "groups": [{"stores": list(stores), **_table(table)} for stores, table in groups]}


def _table(table: LanguageTable) -> dict[str, Any]:
    silent = {} if table.why_silent is None else {"silent": table.why_silent}
    rows = [
        {
            "tag": row.tag,
            "name": english_name(row.tag),
            "gaps": row.count("none"),
            "fallbacks": row.count("fallback"),
            "texts": [_text(text) for text in row.texts],
        }
        for row in table.rows
    ]
    return {"default": table.default, **silent, "languages": rows}


def _text(text: languages.SpokenText) -> dict[str, Any]:
    return {
        "kind": text.kind,
        "title": text.title,
        "source": text.source,
        "texts": list(text.texts),
        "tag": text.tag,
        **({} if text.origin is None else {"from": origin_object(text.origin)}),
        **({} if text.why is None else {"why": text.why}),
    }
