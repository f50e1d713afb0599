"""Languages as files name them: which one a tag means, and whether a list of them serves another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Literal

from trialrun.diagnostic import Finding, Fix, Path, Replace
from trialrun.lint.rule import Context
from trialrun.lint.rule_support.texts import placeholders
from trialrun.model.channel_config import ClosingOffer, GreetingOffer, OfferMessage, UpsellConfig, UpsellStrategy
from trialrun.model.node import Node, fields_of_format, texts_in
from trialrun.values import Problem
from trialrun.values.language_tag import canonicalize, check, lookup


@lru_cache(maxsize=4096)
def tag_problems(text: str, code: str) -> tuple[Problem, ...]:
    """What `values.language_tag` says about a tag under one of its codes."""
    return tuple(problem for problem in check(text) if problem.code == code)


def may_have_tag_problem(node: Node) -> bool:
    """Whether something may be said about the language tags of a message."""
    values = node.__dict__
    for name in fields_of_format(node.__class__, "language-tag"):
        value = values[name]
        if value is not None and (value.__class__ is not str or _has_problem(value)):
            return True
    return False


@lru_cache(maxsize=4096)
def _has_problem(tag: str) -> bool:
    return bool(check(tag))


def tags_with_problems(node: Node, code: str) -> list[tuple[Path, Problem]]:
    """What is to be said under one code about the language tags of a message, each problem with the steps to its tag.

    A list, since it is mostly empty, and asked for by three rules at each text that is spoken.
    """
    found: list[tuple[Path, Problem]] = []
    for name in fields_of_format(type(node), "language-tag"):
        value = node.__dict__[name]
        if value.__class__ is str and not tag_problems(value, code):  # as most are
            continue
        for steps, text in texts_in(value, (name,)):
            problems = tag_problems(text, code)
            unfilled = placeholders(text, code) if problems and code == "invalid" else ()
            found += [(steps, problem) for problem in unfilled or problems]
    return found


@lru_cache(maxsize=4096)
def intended_tag(text: str | None) -> str | None:
    """The canonical form of a tag, of an invalid one after its corrections; None if it is not clear."""
    if text is None:
        return None
    for problem in sorted(tag_problems(text, "invalid"), key=lambda tag_problem: -tag_problem.start):
        if problem.replacement is None:
            return None
        text = text[: problem.start] + problem.replacement + text[problem.end :]
    return canonicalize(text)


def unserved_languages(wanted: Iterable[str], offered: Iterable[str | None]) -> list[str]:
    """The wanted languages that the lookup of RFC 4647 finds nothing for; none while an offered one is not clear."""
    return _unserved_languages(tuple(wanted), tuple(offered))


@lru_cache(maxsize=4096)
def _unserved_languages(wanted: tuple[str, ...], offered: tuple[str | None, ...]) -> list[str]:
    clear: list[str] = []
    for text in offered:
        language = intended_tag(text)
        if language is None:
            return []
        clear.append(language)
    return [language for language in wanted if lookup(language, clear) is None]


def to_finding(node: Node, steps: Path, problem: Problem, *, safe: bool) -> Finding:
    """A finding at the characters of a problem, with its replacement as the fix if there is one."""
    chars = (problem.start, problem.end)
    if problem.replacement is None:
        return node.finding(steps, problem.message, chars=chars)
    title = f"write {problem.replacement}" if problem.replacement else "remove it"
    fix = Fix(title, (Replace(node.location(*steps), problem.replacement, chars),), safe=safe)
    return node.finding(steps, problem.message, chars=chars, fix=fix)


@dataclass(frozen=True, slots=True)
class Offer:
    """The greeting offer or closing offer of an enabled upsell; `field` is the list that holds its messages.

    Messages whose offerMessage is missing or was refused are None.
    """

    upsell: UpsellConfig
    node: GreetingOffer | ClosingOffer
    field: str
    messages: tuple[OfferMessage | None, ...]

    @property
    def kind(self) -> str:
        """The word for the occasion of the offer."""
        return "greeting" if self.field == "messages" else "closing"


def spoken_offers(strategy: UpsellStrategy) -> Iterator[Offer]:
    """The spoken offers of the enabled upsells, in the order of the file."""
    for upsell in strategy.upsells or ():
        if upsell.disabled:
            continue
        if upsell.greetingOffer and upsell.greetingOffer.messages:
            offer = upsell.greetingOffer
            yield Offer(upsell, offer, "messages", tuple(offer.messages or ()))
        if upsell.closingOffer and upsell.closingOffer.closingMessages:
            closing = upsell.closingOffer.closingMessages
            yield Offer(
                upsell,
                upsell.closingOffer,
                "closingMessages",
                tuple(closing_message.offerMessage for closing_message in closing),
            )


def message_pools(strategy: UpsellStrategy, context: Context) -> list[list[Offer]]:
    """The enabled offers whose messages are weighed together by `message-draw`: each by itself, or all of one type."""
    draw: Literal["offer", "type"] = context.options["message-draw"]
    return context.shared(f"message pools of {id(strategy)} by {draw}", lambda: _message_pools(strategy, draw))


def _message_pools(strategy: UpsellStrategy, draw: Literal["offer", "type"]) -> list[list[Offer]]:
    every = list(spoken_offers(strategy))
    if draw == "offer":
        return [[offer] for offer in every]
    types = [[offer for offer in every if offer.field == field] for field in ("messages", "closingMessages")]
    return [of_type for of_type in types if of_type]


def frequency(message: OfferMessage | None) -> Decimal | None:
    """The frequency as a person reads it, 0 where it is unset; None if a value was refused and nothing is known."""
    if message is None:
        return None
    if message.messageFrequency is None:
        return None if message.has("messageFrequency") else Decimal(0)
    return _as_written(message.messageFrequency)


@lru_cache(maxsize=1024)
def _as_written(number: float) -> Decimal:
    return Decimal(repr(number))


def format_percent(number: Decimal) -> str:
    """A fraction of all sessions as a percentage, without trailing zeros: 0.125 is 12.5%."""
    return f"{(number * 100).normalize():f}%"


def are_equal_shares(frequencies: list[Decimal]) -> bool:
    """Whether these are equal shares of 1, rounded to two digits or more: 0.33 three times, which adds up to 0.99."""
    first = frequencies[0]
    exponent = first.as_tuple().exponent
    if not isinstance(exponent, int) or exponent > -2 or any(frequency != first for frequency in frequencies):
        return False
    return abs(first * len(frequencies) - 1) <= Decimal(1).scaleb(exponent) * len(frequencies) / 2
