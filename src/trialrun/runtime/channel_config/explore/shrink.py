"""Shrinks a session that shows an anomaly: fewer turns, fewer actions, then simpler actions.

As property-based testers do: pieces are left out as long as what is looked for is still shown. The result does not
depend on chance, and no single move of it can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import combinations
from math import isfinite
from typing import TypeVar

from trialrun.runtime.channel_config.explore.generators import Generators
from trialrun.runtime.channel_config.explore.simulated_customer import NO_OP, Recording, TurnActions, only_sets_state
from trialrun.runtime.channel_config.menu import OrderLineItem
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    Add,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)

Value = TypeVar("Value")
Number = TypeVar("Number", int, float)
MAX_ITEMS = 8
"""The items, from the first of the menu, that are tried in place of another."""
Simplifier = Callable[[Action], Iterator[Action]]


def simplifier(generators: Generators) -> Simplifier:
    """What is simpler among the words of a vocabulary: one of an item, as it is, and items early on the menu."""
    names = [item.name for item in generators.items]
    values = {setting.path: setting.values for setting in generators.settings}

    def simpler(action: Action) -> Iterator[Action]:
        match action:
            case Add(ordered):
                yield from map(Add, _simpler_order(ordered, generators))
            case SetQuantity(item, quantity):
                yield from (SetQuantity(item, fewer) for fewer in generators.quantities if fewer < quantity)
                yield from (SetQuantity(item, fewer) for fewer in smaller_numbers(quantity))
            case Remove(item, quantity) if quantity is not None:
                yield Remove(item)
            case Accept(item, modifiers) if item is not None or modifiers:
                yield from (Accept(), Accept(item)) if modifiers else (Accept(),)
            case SetState(path, value):
                yield from (SetState(path, earlier) for earlier in _before(value, values.get(path, ())))
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield from (SetState(path, smaller) for smaller in smaller_numbers(value))
            case Say(text) if action != NO_OP:
                yield from (Add(OrderLineItem(item)) for item in generators.relevant_items[:MAX_ITEMS])
                yield from (Say(term) for term in _before(text, generators.terms))
            case Speak(language):
                yield from (Speak(earlier) for earlier in _before(language, generators.languages))

    def _simpler_order(line_item: OrderLineItem, generators: Generators) -> Iterator[OrderLineItem]:
        if line_item.modifiers and line_item.quantity > 1:
            yield OrderLineItem(line_item.item)
        if line_item.modifiers:
            yield replace(line_item, modifiers=())
        yield from (replace(line_item, quantity=fewer) for fewer in range(1, min(line_item.quantity, 4)))
        yield from (replace(line_item, quantity=fewer) for fewer in smaller_numbers(line_item.quantity) if fewer > 3)
        if not line_item.modifiers:
            position = names.index(line_item.item.name) if line_item.item.name in names else 0
            yield from (replace(line_item, item=item) for item in generators.items[: min(position, MAX_ITEMS)])

    return simpler


def smaller_numbers(number: Number) -> Iterator[Number]:
    """Numbers between 0 and a number, ever nearer to it, of its type and sign; for a fraction first its whole part.

    Repeated, they lead to the smallest one of which something holds, where it holds of all larger ones.
    """
    if isinstance(number, float) and not isfinite(number):
        return
    kind = type(number)
    whole = int(number)
    if whole != number:
        yield kind(whole)
    sign = 1 if whole > 0 else -1
    distance = abs(whole)
    while distance:
        yield kind(sign * (abs(whole) - distance))
        distance //= 2


def _before(value: Value, values: Sequence[Value]) -> Iterator[Value]:
    """The values that come before one; those of other types are other values."""
    for candidate in values:
        if type(candidate) is type(value) and candidate == value:
            return
        yield candidate


Shows = Callable[[Recording], bool]
MAX_TRIES = 600
"""How many sessions are played at most to make one shorter, before single moves are tried a last time."""
MAX_SEED = 10
"""The seeds, from 0, that are tried in place of another."""


def shrink(recording: Recording, shows: Shows, *, begin: datetime, simpler: Simplifier) -> Recording:
    """A session that shows something made as short and simple as it can be; `begin` is the simplest time."""
    tries = _TryBudget(shows)
    shortest = recording
    while (better := _shrink_once(shortest, tries, begin, simpler)) is not shortest:
        shortest = better
    tries.left = (
        shortest.action_count * (shortest.action_count + 1) // 2
    )  # enough for any number of moves to go, one in each round
    return _reduce(shortest, tries, _drop_action)


class _TryBudget:
    def __init__(self, shows: Shows) -> None:
        self._shows = shows
        self._results: dict[tuple[object, ...], bool] = {}
        self.left = MAX_TRIES

    def __call__(self, recording: Recording) -> bool:
        key = (recording.seed, recording.begin, recording.language, repr(recording.turns))
        if key not in self._results:
            if self.left <= 0:
                return False
            self.left -= 1
            self._results[key] = self._shows(recording)
        return self._results[key]


def _shrink_once(recording: Recording, tries: _TryBudget, begin: datetime, simpler: Simplifier) -> Recording:
    """One round of everything; the same session where nothing could be made shorter or simpler."""
    shortest = recording
    for steps in (_drop_turns, _drop_action, _join_turns, _merge_adds_in_turn, _begin_in_language, _quiet_turns):
        shortest = _reduce(shortest, tries, steps)
    shortest = _reduce(shortest, tries, lambda candidate: _use_defaults(candidate, begin))
    return _simplify_actions(shortest, tries, simpler)


def _reduce(recording: Recording, tries: _TryBudget, steps: Callable[[Recording], Iterator[Recording]]) -> Recording:
    """The session after every step that still shows it, the first such first, again and again."""
    shortest = recording
    while (better := next((candidate for candidate in steps(shortest) if tries(candidate)), None)) is not None:
        shortest = better
    return shortest


def _with_turns(recording: Recording, turns: tuple[TurnActions, ...]) -> Recording:
    return replace(recording, turns=tuple(actions for actions in turns if actions))


def _drop_turns(recording: Recording) -> Iterator[Recording]:
    """Without many turns in a row, then fewer, the last ones first."""
    count = len(recording.turns)
    size = count
    while size:
        for start in range(count - size, -1, -1):
            yield _with_turns(recording, recording.turns[:start] + recording.turns[start + size :])
        size //= 2


def _drop_action(recording: Recording) -> Iterator[Recording]:
    for turn, actions in enumerate(recording.turns):
        for index in range(len(actions)):
            yield _replace_turn(recording, turn, actions[:index] + actions[index + 1 :])


def _replace_turn(recording: Recording, turn: int, actions: TurnActions) -> Recording:
    return _with_turns(recording, (*recording.turns[:turn], actions, *recording.turns[turn + 1 :]))


def _join_turns(recording: Recording) -> Iterator[Recording]:
    """With two turns made one."""
    for turn in range(len(recording.turns) - 1):
        both = recording.turns[turn] + recording.turns[turn + 1]
        yield _with_turns(recording, (*recording.turns[:turn], both, *recording.turns[turn + 2 :]))


def _merge_adds_in_turn(recording: Recording) -> Iterator[Recording]:
    """With two orders of one thing in a turn made one."""
    for turn, actions in enumerate(recording.turns):
        for first, second in combinations(range(len(actions)), 2):
            merged = _merge_adds(actions[first], actions[second])
            if merged:
                yield _replace_turn(
                    recording, turn, (*actions[:first], merged, *actions[first + 1 : second], *actions[second + 1 :])
                )


def _merge_adds(first: Action, second: Action) -> Add | None:
    if not (isinstance(first, Add) and isinstance(second, Add)):
        return None
    quantity = first.line_item.quantity + second.line_item.quantity
    is_same_item = replace(first.line_item, quantity=1) == replace(second.line_item, quantity=1)
    return Add(replace(first.line_item, quantity=quantity)) if is_same_item else None


def _begin_in_language(recording: Recording) -> Iterator[Recording]:
    """With a session that begins in the language in which it would go on."""
    for turn, actions in enumerate(recording.turns):
        for index, action in enumerate(actions):
            if isinstance(action, Speak):
                changed = replace(recording, language=action.language)
                yield _replace_turn(changed, turn, actions[:index] + actions[index + 1 :])


def _quiet_turns(recording: Recording) -> Iterator[Recording]:
    """With a turn in which nothing is done, or values are set alone: any turn will do there."""
    for turn, actions in enumerate(recording.turns):
        if actions != (NO_OP,):
            yield _replace_turn(recording, turn, (NO_OP,))
        quiet: TurnActions = (*(action for action in actions if isinstance(action, SetState)), NO_OP)
        if actions != quiet and not only_sets_state(actions):
            yield _replace_turn(recording, turn, quiet)


def _use_defaults(recording: Recording, begin: datetime) -> Iterator[Recording]:
    """In the store's language, at the plain time, of an early seed."""
    if recording.language is not None:
        yield replace(recording, language=None)
    if recording.begin != begin:
        yield replace(recording, begin=begin)
    seeds = range(min(MAX_SEED, recording.seed)) if recording.seed >= 0 else range(MAX_SEED)
    yield from (replace(recording, seed=seed) for seed in seeds)


def _simplify_actions(recording: Recording, tries: _TryBudget, simpler: Simplifier) -> Recording:
    """With every move as simple as it can be, in turn."""
    for turn, index in [(turn, index) for turn, actions in enumerate(recording.turns) for index in range(len(actions))]:
        actions = recording.turns[turn]
        candidates = (
            _replace_turn(recording, turn, (*actions[:index], simpler_action, *actions[index + 1 :]))
            for simpler_action in simpler(actions[index])
        )
        recording = next(filter(tries, candidates), recording)
    return recording
