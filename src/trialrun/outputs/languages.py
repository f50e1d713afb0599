"""What a customer of each language hears at a store: the greeting and the messages of offers, as `languages` prints it.

The texts are those that a session takes: chosen by `negotiate_language`, from the active configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.model.channel_config import UpsellStrategy
from trialrun.outputs.origin import MaybeSourced, RuleError
from trialrun.runtime.channel_config import active_config
from trialrun.runtime.channel_config.active_config import ActiveConfig, origin_object
from trialrun.runtime.channel_config.dialogue.messages import (
    LISTENS_ONLY,
    OFFER_KINDS,
    DrawnMessage,
    MessageTexts,
    greetings_for,
    message_lotteries,
)
from trialrun.values.language_tag import canonicalize, english_name, lookup

SpokenKind = Literal["greeting", "greeting-offer", "closing-offer"]
Source = Literal["own", "fallback", "none"]


class LanguageText(MaybeSourced):
    """What is said of one thing to customers of a language, and where it comes from."""

    kind: SpokenKind
    title: Annotated[str, Field(description="the upsell, and its message if it has a name of its own")]
    source: Annotated[
        Source,
        Field(description="own: in the customer's language; fallback: in another one; none: nothing is said"),
    ]
    texts: Annotated[list[str], Field(description="all that may be said")]
    tag: Annotated[str | None, Field(description="the language of the texts; null if they have none")]
    why: NotRequired[Annotated[str, Field(description="why nothing is said")]]


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


def language_table(config: ActiveConfig, further: Sequence[str] = ()) -> LanguageGroup:
    """What a customer of each language hears at a store.

    The languages are those of greetings and messages that can be drawn, the default language, and `further` ones.
    """
    stores = [config.store.name]
    if config.listens_only:
        return {"stores": stores, "default": None, "silent": LISTENS_ONLY, "languages": []}
    messages = [
        (kind, drawn, MessageTexts(drawn.message))
        for offer_type, kind in OFFER_KINDS.items()
        for lottery in message_lotteries(config.upsell_strategy or UpsellStrategy(), offer_type, config.message_draw)
        for drawn in lottery.messages
        if drawn.share
    ]
    greetings = config.operations_field("greetings") or ()
    default = canonicalize(config.default_language or "")
    written = [greeting.languageCode for greeting in greetings]
    written += [text.languageCode for _, drawn, _ in messages for text in drawn.message.messageConfigs or ()]
    tags = dict.fromkeys(filter(None, (canonicalize(tag or "") for tag in (default, *further, *written))))
    rows: list[LanguageRow] = []
    for tag in tags:
        texts = [_greeting(config, tag)] if greetings else []
        texts += [_message(config, kind, drawn, of_message, tag) for kind, drawn, of_message in messages]
        gaps, fallbacks = (sum(text["source"] == source for text in texts) for source in ("none", "fallback"))
        name = english_name(tag)
        rows.append({"tag": tag, "name": name, "gaps": gaps, "fallbacks": fallbacks, "texts": texts})
    # the sort is stable: languages with equally many gaps stay in the order of the configuration
    rows.sort(key=lambda row: (-row["gaps"], -row["fallbacks"]))
    return {"stores": stores, "default": default, "languages": rows}


def _greeting(config: ActiveConfig, tag: str) -> LanguageText:
    greetings = greetings_for(config, tag)
    if isinstance(greetings, str):
        return _gap("greeting", "greeting", greetings)
    phrases = [phrase for phrase in greetings.greetingPhrases or () if phrase.strip()]
    origin = config.origin_of(greetings, "greetingPhrases")
    return _text("greeting", "greeting", tag, phrases, greetings.languageCode or None, origin)


def _message(
    config: ActiveConfig, kind: SpokenKind, drawn: DrawnMessage, texts: MessageTexts, tag: str
) -> LanguageText:
    name, title = drawn.message.displayName, drawn.upsell.title
    title = f"{title}, {name}" if name and name != drawn.upsell.displayName else title
    text = texts.text_for(tag, config.default_language)
    if isinstance(text, str):
        return _gap(kind, title, text)
    return _text(kind, title, tag, [text.messageText or ""], text.languageCode, config.origin_of(text, "messageText"))


def _gap(kind: SpokenKind, title: str, why: str) -> LanguageText:
    return {"kind": kind, "title": title, "source": "none", "texts": [], "tag": None, "why": why}


def _text(
    kind: SpokenKind, title: str, wanted: str, texts: list[str], tag: str | None, origin: active_config.Origin
) -> LanguageText:
    source: Source = "own" if tag and lookup(wanted, [tag]) is not None else "fallback"
    place = origin_object(origin)
    return {"kind": kind, "title": title, "source": source, "texts": texts, "tag": tag, "from": place}
