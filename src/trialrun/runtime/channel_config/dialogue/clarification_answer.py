"""How a question among targets is answered: by words that one of them alone has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.runtime.channel_config.dialogue.interpretation import Answer, Meaning, Other
from trialrun.runtime.channel_config.dialogue.phrase_matcher import Phrases
from trialrun.values.normalize import plain

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Ordered
    from trialrun.runtime.channel_config.session.turn import Mapped

PARTICLES = (
    "a an and at by for from in no not of on or the to with without "
    "al con de del e el en i la las le les los o ou para per por sin u un una y "
    "au aux avec ce cette des du et l d pour sans sur une "
    "das dem den der die ein eine einen im mit oder ohne und zu "
    "com da do dos em na um uma di il lo gli senza"
)
"""Words that tell no item from another, though only one of the names may have them."""


def answers(pending: Sequence[Mapped]) -> Phrases[Meaning]:
    """The words that tell the targets of the open questions apart; those of the last question come first."""
    phrases: Phrases[Meaning] = Phrases()
    for asked in reversed(pending):
        for target, part in told_apart(asked.targets):
            phrases.learn(part, Answer(asked, target))
    return phrases


def others(phrases: Phrases[Meaning], names: Iterable[tuple[str, ...]]) -> Phrases[Meaning]:
    """The names of items in which an answer is, as "vanilla" is in "vanilla cone"."""
    found: Phrases[Meaning] = Phrases()
    first = phrases.root.next.keys()
    for name in names:
        if not first.isdisjoint(name) and any(True for _ in phrases.inside(name)):
            found.learn(name, Other(name))
    return found


def told_apart(lines: Sequence[Ordered]) -> Iterator[tuple[Ordered, tuple[str, ...]]]:
    """What tells each of several order lines from the others, word for word.

    It is the name of the item, where no other line has it, and every row of words of that name or of a modifier's
    that no other line has in such a name.
    """
    names = [line.item.name for line in lines]
    rows = [set(_rows(line)) for line in lines]
    for at, line in enumerate(lines):
        elsewhere = set().union(*rows[:at], *rows[at + 1 :])
        if names.count(line.item.name) == 1:
            yield line, plain(line.item.name)
        yield from ((line, row) for row in _rows(line) if row not in elsewhere and _tells(row))


def _tells(row: Sequence[str]) -> bool:
    return not set(row).issubset(PARTICLES.split())


def _rows(line: Ordered) -> Iterator[tuple[str, ...]]:
    """Every row of words inside the name of the item, or of a modifier."""
    for name in (line.item.name, *(one.name for one in line.modifiers)):
        words = plain(name)
        for start in range(len(words)):
            yield from (words[start:end] for end in range(start + 1, len(words) + 1))
