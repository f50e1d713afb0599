"""Shrinks a session that shows an anomaly: fewer turns, fewer actions, then simpler actions.

As property-based testers do: pieces are left out as long as what is looked for is still shown. The result does not
depend on chance, and no single move of it can be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import combinations, pairwise, takewhile
from math import isfinite
from typing import TypeVar

from trialrun.runtime.channel_config.explore.generators import Generators
from trialrun.runtime.channel_config.explore.simulated_customer import NO_OP, Recording, TurnActions, only_sets_state
from trialrun.runtime.channel_config.menu import OrderLineItem
from trialrun.runtime.channel_config.session.actions import Accept, Action, Add, Say, SetQuantity, SetState, Speak

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
                yield from map(Add, simpler_lines(ordered))
            case SetQuantity(item, quantity):
                yield from (SetQuantity(item, fewer) for fewer in generators.quantities if fewer < quantity)
                yield from (SetQuantity(item, fewer) for fewer in _smaller_numbers(quantity))
            case Accept(item) if item is not None:
                yield Accept()
            case SetState(path, value):
                yield from (SetState(path, earlier) for earlier in _before(value, values.get(path, ())))
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    yield from (SetState(path, smaller) for smaller in _smaller_numbers(value))
            case Say(text) if action != NO_OP:
                yield from (Add(OrderLineItem(item)) for item in generators.relevant_items[:MAX_ITEMS])
                yield from (Say(term) for term in _before(text, generators.terms))
            case Speak(language):
                yield from (Speak(earlier) for earlier in _before(language, generators.languages))

    def simpler_lines(line_item: OrderLineItem) -> Iterator[OrderLineItem]:
        item, quantity = line_item.item, line_item.quantity
        if line_item.modifiers and quantity > 1:
            yield OrderLineItem(item)
        if line_item.modifiers:
            yield replace(line_item, modifiers=())
        fewer_first = (*range(1, min(quantity, 4)), *(fewer for fewer in _smaller_numbers(quantity) if fewer > 3))
        yield from (replace(line_item, quantity=fewer) for fewer in fewer_first)
        if not line_item.modifiers and item.name in names:
            yield from (
                replace(line_item, item=earlier) for earlier in generators.items[: names.index(item.name)][:MAX_ITEMS]
            )

    return simpler


def _smaller_numbers(number: Number) -> Iterator[Number]:
    """Numbers between 0 and a number, ever nearer to it, of its type and sign; for a fraction first its whole part.

    Repeated, they lead to the smallest one of which something holds, where it holds of all larger ones.
    """
    if isinstance(number, float) and not isfinite(number):
        return
    kind, whole = type(number), int(number)
    if whole != number:
        yield kind(whole)
    for halvings in range(abs(whole).bit_length()):
        distance = abs(whole) >> halvings
        yield kind(whole - distance if whole > 0 else whole + distance)


def _before(value: Value, values: Sequence[Value]) -> Iterator[Value]:
    """The values that come before one; those of other types are other values."""
    return takewhile(lambda candidate: type(candidate) is not type(value) or candidate != value, values)


MAX_TRIES = 600
"""How many sessions are played at most to make one shorter, before single moves are tried a last time."""
MAX_SEED = 10
"""The seeds, from 0, that are tried in place of another."""
Variants = Callable[[Recording], Iterator[Recording]]


def shrink(
    recording: Recording, shows: Callable[[Recording], bool], *, begin: datetime, simpler: Simplifier
) -> Recording:
    """A session that shows something made as short and simple as it can be; `begin` is the simplest time."""
    results: dict[Hashable, bool] = {}
    tries_left = MAX_TRIES

    def is_shown(candidate: Recording) -> bool:
        nonlocal tries_left
        key = (candidate.seed, candidate.begin, candidate.language, repr(candidate.turns))
        if key not in results:
            if tries_left <= 0:
                return False
            tries_left -= 1
            results[key] = shows(candidate)
        return results[key]

    def reduce(longer: Recording, variants: Variants) -> Recording:
        """The session after every step that still shows it, the first such first, again and again."""
        while (shorter := next(filter(is_shown, variants(longer)), None)) is not None:
            longer = shorter
        return longer

    previous = None
    while recording is not previous:
        previous = recording
        for variants in (_drop_turns, _drop_action, _join_turns, _merge_adds, _begin_in_language, _quiet_turns):
            recording = reduce(recording, variants)
        recording = reduce(recording, partial(_use_defaults, begin))
        for turn, index, _ in list(_actions(recording)):
            action = recording.turns[turn][index]
            simpler_ones = (_replace_action(recording, turn, index, instead) for instead in simpler(action))
            recording = next(filter(is_shown, simpler_ones), recording)
    tries_left = recording.action_count * (recording.action_count + 1) // 2  # for any number of moves to go one by one
    return reduce(recording, _drop_action)


def _with_turns(recording: Recording, start: int, end: int, *turns: TurnActions) -> Recording:
    """The session with others in place of some turns; turns in which nothing is done are left out."""
    changed = (*recording.turns[:start], *turns, *recording.turns[end:])
    return replace(recording, turns=tuple(actions for actions in changed if actions))


def _replace_action(recording: Recording, turn: int, index: int, *instead: Action) -> Recording:
    actions = recording.turns[turn]
    return _with_turns(recording, turn, turn + 1, (*actions[:index], *instead, *actions[index + 1 :]))


def _actions(recording: Recording) -> Iterator[tuple[int, int, Action]]:
    for turn, actions in enumerate(recording.turns):
        for index, action in enumerate(actions):
            yield turn, index, action


def _drop_turns(recording: Recording) -> Iterator[Recording]:
    """Without many turns in a row, then fewer, the last ones first."""
    count = size = len(recording.turns)
    while size:
        for start in range(count - size, -1, -1):
            yield _with_turns(recording, start, start + size)
        size //= 2


def _drop_action(recording: Recording) -> Iterator[Recording]:
    for turn, index, _ in _actions(recording):
        yield _replace_action(recording, turn, index)


def _join_turns(recording: Recording) -> Iterator[Recording]:
    for turn, (first, second) in enumerate(pairwise(recording.turns)):
        yield _with_turns(recording, turn, turn + 2, first + second)


def _merge_adds(recording: Recording) -> Iterator[Recording]:
    for turn, actions in enumerate(recording.turns):
        adds = [(index, action.line_item) for index, action in enumerate(actions) if isinstance(action, Add)]
        for (first, line_item), (second, other) in combinations(adds, 2):
            if replace(line_item, quantity=1) == replace(other, quantity=1):
                merged = Add(replace(line_item, quantity=line_item.quantity + other.quantity))
                changed = (*actions[:first], merged, *actions[first + 1 : second], *actions[second + 1 :])
                yield _with_turns(recording, turn, turn + 1, changed)


def _begin_in_language(recording: Recording) -> Iterator[Recording]:
    """With a session that begins in the language in which it would go on."""
    for turn, index, action in _actions(recording):
        if isinstance(action, Speak):
            yield _replace_action(replace(recording, language=action.language), turn, index)


def _quiet_turns(recording: Recording) -> Iterator[Recording]:
    """With a turn in which nothing is done, or values are set alone: any turn will do there."""
    for turn, actions in enumerate(recording.turns):
        if actions != (NO_OP,):
            yield _with_turns(recording, turn, turn + 1, (NO_OP,))
        quiet: TurnActions = (*(action for action in actions if isinstance(action, SetState)), NO_OP)
        if actions != quiet and not only_sets_state(actions):
            yield _with_turns(recording, turn, turn + 1, quiet)


def _use_defaults(begin: datetime, recording: Recording) -> Iterator[Recording]:
    """In the store's language, at the plain time, of an early seed."""
    if recording.language is not None:
        yield replace(recording, language=None)
    if recording.begin != begin:
        yield replace(recording, begin=begin)
    seeds = range(min(MAX_SEED, recording.seed)) if recording.seed >= 0 else range(MAX_SEED)
    yield from (replace(recording, seed=seed) for seed in seeds)
