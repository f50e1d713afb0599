"""Answers to a clarifying question: words that only one of its targets has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.dialogue.interpretation import Answer, Meaning, OtherItem
from trialrun.runtime.channel_config.dialogue.phrase_matcher import PhraseMatcher
from trialrun.values.normalize import normalize_words

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import OrderLineItem
    from trialrun.runtime.channel_config.session.turn import MappedTerm

PARTICLES = (
    "a an and at by for from in no not of on or the to with without "
    "al con de del e el en i la las le les los o ou para per por sin u un una y "
    "au aux avec ce cette des du et l d pour sans sur une "
    "das dem den der die ein eine einen im mit oder ohne und zu "
    "com da do dos em na um uma di il lo gli senza"
)
"""Words that tell no item from another, though only one of the names may have them."""


def answer_phrases(pending: Sequence[MappedTerm]) -> PhraseMatcher[Meaning]:
    """The words that tell the targets of the open questions apart; those of the last question come first."""
    phrases: PhraseMatcher[Meaning] = PhraseMatcher()
    for question in reversed(pending):
        for target, part in distinguish(question.targets):
            phrases.add(part, Answer(question, target))
    return phrases


def other_item_phrases(phrases: PhraseMatcher[Meaning], names: Iterable[tuple[str, ...]]) -> PhraseMatcher[Meaning]:
    """The names of items in which an answer is, as "vanilla" is in "vanilla cone"."""
    matcher: PhraseMatcher[Meaning] = PhraseMatcher()
    first_words = phrases.root.next.keys()
    for name in names:
        if not first_words.isdisjoint(name) and any(True for _ in phrases.meanings_in(name)):
            matcher.add(name, OtherItem(name))
    return matcher


def distinguish(lines: Sequence[OrderLineItem]) -> Iterator[tuple[OrderLineItem, tuple[str, ...]]]:
    """What tells each of several order lines from the others, word for word.

    It is the name of the item, where no other line has it, and every row of words of that name or of a modifier's
    that no other line has in such a name.
    """
    names = [line.item.name for line in lines]
    rows = [set(_word_sequences(line)) for line in lines]
    for index, line in enumerate(lines):
        rows_of_others = set().union(*rows[:index], *rows[index + 1 :])
        if names.count(line.item.name) == 1:
            yield line, normalize_words(line.item.name)
        yield from ((line, row) for row in _word_sequences(line) if row not in rows_of_others and _distinguishes(row))


def _distinguishes(row: Sequence[str]) -> bool:
    return not set(row).issubset(PARTICLES.split())


def _word_sequences(line: OrderLineItem) -> Iterator[tuple[str, ...]]:
    """Every row of words inside the name of the item, or of a modifier."""
    for name in (line.item.name, *(modifier.name for modifier in line.modifiers)):
        words = normalize_words(name)
        for start in range(len(words)):
            yield from (words[start:end] for end in range(start + 1, len(words) + 1))
