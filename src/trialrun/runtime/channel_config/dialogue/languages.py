"""What a customer of each language hears at a store: the greeting and the messages of offers.

The texts are those that a session takes: chosen by `negotiate_language`, from the active configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.dialogue.messages import (
    LISTENS_ONLY,
    OFFER_TYPES,
    DrawnMessage,
    MessageTexts,
    OfferType,
    greetings_for,
    listens_only,
    message_lotteries,
    why_no_greeting,
)
from trialrun.runtime.channel_config.dialogue.messages import why_no_text as why_no_message_text
from trialrun.values.language_tag import canonicalize, lookup

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.effective import Origin

SpokenKind = Literal["greeting", "greeting-offer", "closing-offer"]
Source = Literal["own", "fallback", "none"]
"""Whether a text is in the language of the customer, in another one, or missing."""
KINDS: dict[str, SpokenKind] = {"greetingOffer": "greeting-offer", "closingOffer": "closing-offer"}


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


@dataclass(frozen=True, slots=True)
class SpokenMessage:
    """A message that some session draws, with its texts by language."""

    kind: SpokenKind
    drawn: DrawnMessage
    texts: MessageTexts


def language_table(config: ActiveConfig, further: Sequence[str] = ()) -> LanguageTable:
    """What a customer of each language hears at a store.

    The languages are those of greetings and messages that can be drawn, the default language, and `further` ones.
    """
    if listens_only(config):
        return LanguageTable(None, (), why_silent=LISTENS_ONLY)
    messages = [
        SpokenMessage(KINDS[offer_type], drawn, MessageTexts(drawn.message))
        for offer_type in OFFER_TYPES
        for drawn in _drawable_messages(config, offer_type)
    ]
    default = canonicalize(config.operations_field("defaultLanguageCode") or "")
    tags = dict.fromkeys(_languages(config, messages, (default or "", *further)))
    rows = [LanguageRow(tag, tuple(_spoken_texts(config, messages, tag))) for tag in tags]
    # the sort is stable: languages with equally many gaps stay in the order of the configuration
    return LanguageTable(default, tuple(sorted(rows, key=lambda row: (-row.count("none"), -row.count("fallback")))))


def _drawable_messages(config: ActiveConfig, offer_type: OfferType) -> list[DrawnMessage]:
    """The messages of enabled offers that some session draws."""
    strategy = config.upsell_strategy
    if strategy is None:
        return []
    lotteries = message_lotteries(strategy, offer_type, config.message_draw)
    return [drawn for lottery in lotteries for drawn in lottery.messages if drawn.share]


def _languages(config: ActiveConfig, messages: Sequence[SpokenMessage], further: Sequence[str]) -> Iterator[str]:
    written = [greeting.languageCode for greeting in config.operations_field("greetings") or ()]
    written += [text.languageCode for message in messages for text in message.drawn.message.messageConfigs or ()]
    for tag in (*further, *written):
        canonical = canonicalize(tag or "")
        if canonical is not None:
            yield canonical


def _spoken_texts(config: ActiveConfig, messages: Sequence[SpokenMessage], tag: str) -> Iterator[SpokenText]:
    if config.operations_field("greetings"):
        yield _greeting(config, tag)
    for message in messages:
        yield _message(config, message, tag)


def _greeting(config: ActiveConfig, tag: str) -> SpokenText:
    greetings = greetings_for(config, tag)
    if greetings is None:
        return SpokenText("greeting", "greeting", "none", why=why_no_greeting(config, tag))
    phrases = tuple(phrase for phrase in greetings.greetingPhrases or () if phrase.strip())
    language = greetings.languageCode or None
    origin = config.origin_of(greetings, "greetingPhrases")
    return SpokenText("greeting", "greeting", _source(tag, language), phrases, language, origin)


def _message(config: ActiveConfig, message: SpokenMessage, tag: str) -> SpokenText:
    title, default = _title(message.drawn), config.operations_field("defaultLanguageCode")
    text = message.texts.text_for(tag, default)
    if text is None:
        why = why_no_message_text(message.drawn.message, tag, default)
        return SpokenText(message.kind, title, "none", why=why)
    source, origin = _source(tag, text.languageCode), config.origin_of(text, "messageText")
    return SpokenText(message.kind, title, source, (text.messageText or "",), text.languageCode, origin)


def _title(drawn: DrawnMessage) -> str:
    """The title of an upsell, and of its message where it has a name of its own."""
    name = drawn.message.displayName
    return f"{drawn.upsell.title}, {name}" if name and name != drawn.upsell.displayName else drawn.upsell.title


def _source(wanted: str, tag: str | None) -> Source:
    return "own" if tag and lookup(wanted, [tag]) is not None else "fallback"
