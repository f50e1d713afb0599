"""A customer of given habits, who reacts to what the agent does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.runtime.channel_config.explore.generators import Focus, Setting, Vocabulary
from trialrun.runtime.channel_config.explore.profile import Habits
from trialrun.runtime.channel_config.explore.recording import QUIET, Moves
from trialrun.runtime.channel_config.explore.rng import Chance
from trialrun.runtime.channel_config.menu import Item, Modifier, Ordered
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Add,
    Decline,
    Finish,
    Move,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)
from trialrun.runtime.channel_config.session.turn import Offered, Turn

TELLING = 0.6
"""How often an order is of an item that some decision depends on, where there are such."""
FOCUSED = 0.5
"""How often what is told by some condition is told by one of them, the same for the session."""
ONE = 0.7
"""How often one of an item is ordered."""
MODIFIED = 0.4
MOST_AT_ONCE = 3
CHANGE = 0.05
"""How often a situation changes after the first turn."""
BARE = 0.1
"""How often a session begins in a situation of which the client says nothing."""


class Customer:
    """What one customer does, turn by turn; the chances are that session's."""

    def __init__(self, chance: Chance, vocabulary: Vocabulary, habits: Habits) -> None:
        self._chance, self._words, self._habits = chance, vocabulary, habits
        self._bare = chance.happens(BARE)
        self._focus = chance.among(vocabulary.focuses) if vocabulary.focuses else Focus()

    def language(self) -> str | None:
        """The language in which the session begins; None for that of the store."""
        if not self._words.languages or not self._chance.happens(self._habits.foreign):
            return None
        return self._chance.among(self._words.languages)

    def moves(self, last: Turn, left: int) -> Moves:
        """What the customer does after the agent's last turn, with so many turns left; nothing when all is done."""
        answer = tuple(self._answer(last))
        if last.finished:
            return answer
        found = [*self._situation(last), *answer, *self._ordering(last), *self._talking()]
        if left <= 2 or (last.number and self._chance.happens(self._habits.finish)):
            found.append(Finish())
        return tuple(found) or ((self._add(),) if self._words.items else (QUIET,))

    def _answer(self, last: Turn) -> Iterator[Move]:
        offers = [one for one in last.offered if one.kind != "suggestion"]
        if not offers:
            return
        share = self._chance.share()
        if share < self._habits.accept:
            yield self._accepted(offers[-1])
        elif share < self._habits.accept + self._habits.decline:
            yield Decline()

    def _accepted(self, offer: Offered) -> Accept:
        return Accept(self._chance.among(offer.items) if len(offer.items) > 1 else None)

    def _situation(self, last: Turn) -> Iterator[Move]:
        likelihood = CHANGE if last.number else 0.0 if self._bare else self._habits.state
        for setting in self._words.settings:
            if self._chance.happens(likelihood):
                yield SetState(setting.path, self._chance.among(self._values(setting)))

    def _values(self, setting: Setting) -> Sequence[Any]:
        """The values to choose from: often those that one condition asks for, the same for the session."""
        asked = self._focus.asked.get(setting.path)
        return asked if asked and self._chance.happens(FOCUSED) else setting.values

    def _ordering(self, last: Turn) -> Iterator[Move]:
        for _ in range(MOST_AT_ONCE):
            if not self._words.items or not self._chance.happens(self._habits.add):
                break
            yield self._add()
        if last.order and self._chance.happens(self._habits.remove):
            yield Remove(self._chance.among(last.order).item.name)
        elif last.order and self._chance.happens(self._habits.quantity):
            yield SetQuantity(self._chance.among(last.order).item.name, self._chance.among(self._words.quantities))

    def _talking(self) -> Iterator[Move]:
        if self._words.terms and self._chance.happens(self._habits.say):
            yield Say(self._chance.among(self._words.terms))
        if len(self._words.languages) > 1 and self._chance.happens(self._habits.speak):
            yield Speak(self._chance.among(self._words.languages))

    def _add(self) -> Add:
        item = self._chance.among(self._choices())
        quantity = 1 if self._chance.happens(ONE) else self._chance.among(self._words.quantities)
        return Add(Ordered(item, quantity, tuple(self._modifiers(item))))

    def _choices(self) -> Sequence[Item]:
        """Where some decision depends on items, these; often those of one condition, the same for the session."""
        if not self._words.telling or not self._chance.happens(TELLING):
            return self._words.items
        return self._focus.items if self._focus.items and self._chance.happens(FOCUSED) else self._words.telling

    def _modifiers(self, item: Item) -> Iterator[Modifier]:
        """One modifier, the more likely where decisions depend on it."""
        if not item.modifiers or not self._chance.happens(MODIFIED):
            return
        telling = [one for one in item.modifiers if self._is_telling(one)]
        choices: Sequence[Modifier] = telling if telling and self._chance.happens(TELLING) else item.modifiers
        yield self._chance.among(choices)

    def _is_telling(self, modifier: Modifier) -> bool:
        return not self._words.telling_modifiers.isdisjoint((modifier.name, modifier.group))
