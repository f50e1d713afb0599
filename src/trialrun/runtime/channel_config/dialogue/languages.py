"""What a customer of each language hears at a store: the greeting and the messages of offers.

The texts are those that a session takes: chosen by `negotiate_language`, from the active configuration.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.model.channel_config import UpsellStrategy
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.messages import (
    LISTENS_ONLY,
    OFFER_KINDS,
    DrawnMessage,
    MessageTexts,
    greetings_for,
    message_lotteries,
)
from trialrun.runtime.channel_config.effective import Origin
from trialrun.values.language_tag import canonicalize, lookup

SpokenKind = Literal["greeting", "greeting-offer", "closing-offer"]
Source = Literal["own", "fallback", "none"]
"""Whether a text is in the language of the customer, in another one, or missing."""


@dataclass(frozen=True, slots=True)
class SpokenText:
    """What is said of one thing to a customer of one language.

    `title` is the upsell that offers, and its message where it has several. `texts` are all that may be said; `tag` is
    their language, None where the text has none or is missing; `why` says why nothing is said.
    """

    kind: SpokenKind
    title: str
    source: Source
    texts: tuple[str, ...] = ()
    tag: str | None = None
    origin: Origin | None = None
    why: str | None = None


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """What customers of a language hear. `tag` is in its canonical form."""

    tag: str
    texts: tuple[SpokenText, ...]

    def count(self, source: Source) -> int:
        """The number of texts of one source."""
        return sum(text.source == source for text in self.texts)


@dataclass(frozen=True, slots=True)
class LanguageTable:
    """The languages of a store, those with the most gaps first; `default` is its default language.

    `why_silent` says why nothing at all is said there.
    """

    default: str | None
    rows: tuple[LanguageRow, ...]
    why_silent: str | None = None


def language_table(config: ActiveConfig, further: Sequence[str] = ()) -> LanguageTable:
    """What a customer of each language hears at a store.

    The languages are those of greetings and messages that can be drawn, the default language, and `further` ones.
    """
    if config.listens_only:
        return LanguageTable(None, (), why_silent=LISTENS_ONLY)
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
    rows = [
        LanguageRow(
            tag,
            (
                *((_greeting(config, tag),) if greetings else ()),
                *(_message(config, kind, drawn, texts, tag) for kind, drawn, texts in messages),
            ),
        )
        for tag in tags
    ]
    # the sort is stable: languages with equally many gaps stay in the order of the configuration
    return LanguageTable(default, tuple(sorted(rows, key=lambda row: (-row.count("none"), -row.count("fallback")))))


def _greeting(config: ActiveConfig, tag: str) -> SpokenText:
    greetings = greetings_for(config, tag)
    if isinstance(greetings, str):
        return SpokenText("greeting", "greeting", "none", why=greetings)
    phrases = tuple(phrase for phrase in greetings.greetingPhrases or () if phrase.strip())
    language = greetings.languageCode or None
    origin = config.origin_of(greetings, "greetingPhrases")
    return SpokenText("greeting", "greeting", _source(tag, language), phrases, language, origin)


def _message(config: ActiveConfig, kind: SpokenKind, drawn: DrawnMessage, texts: MessageTexts, tag: str) -> SpokenText:
    name, title = drawn.message.displayName, drawn.upsell.title
    title = f"{title}, {name}" if name and name != drawn.upsell.displayName else title
    text = texts.text_for(tag, config.default_language)
    if isinstance(text, str):
        return SpokenText(kind, title, "none", why=text)
    source, origin = _source(tag, text.languageCode), config.origin_of(text, "messageText")
    return SpokenText(kind, title, source, (text.messageText or "",), text.languageCode, origin)


def _source(wanted: str, tag: str | None) -> Source:
    return "own" if tag and lookup(wanted, [tag]) is not None else "fallback"
