"""500 different CEL conditions over the default session schema; each is neither always true nor always false."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from benchmarks.random_source import Dice
from benchmarks.text_pool import CHANNELS, DAYPARTS, ITEMS, MODIFIERS, ORDER_TYPES

COUNT = 500


@cache
def conditions() -> tuple[str, ...]:
    """The conditions, the same ones for every corpus."""
    dice = Dice("conditions")
    found = dict.fromkeys(_condition(dice) for _ in range(3 * COUNT))
    return tuple(found)[:COUNT]


def _condition(dice: Dice) -> str:
    atoms = list(dict.fromkeys(atom for atom in _atoms(dice)))
    shape = dice.number(0, 9)
    if shape < 3:
        return dice.pick(atoms)
    if shape < 7:
        return " && ".join(dice.some(atoms, dice.number(2, 4)))
    first, second, third = dice.some(atoms, 3)
    if shape == 7:
        return f"({first} || {second}) && {third}"
    if shape == 8:
        return f"{first} ? {second} : {third}"
    return f"!({first}) && ({second} || {third})"


def _atoms(dice: Dice) -> Iterator[str]:
    """One of each form; joined, they cannot contradict each other, since each reads something else."""
    first, second, third, fourth = dice.some(ITEMS, 4)
    yield f"order.items.exists(i, i.displayName == '{first}')"
    yield f"!order.items.exists(i, i.displayName in ['{second}', '{third}'])"
    yield f"order.items.size() {dice.pick(('>', '>=', '<'))} {dice.number(2, 9)}"
    yield f"order.subtotal {dice.pick(('>', '>=', '<'))} {dice.number(4, 60)}.{dice.pick(('0', '5', '99'))}"
    yield f"order.orderType == '{dice.pick(ORDER_TYPES)}'"
    yield f"session.channelType != '{dice.pick(CHANNELS)}'"
    yield f"session.daypartId in ['{dice.pick(DAYPARTS[:2])}', '{dice.pick(DAYPARTS[2:])}']"
    yield f"session.turn > {dice.number(1, 6)}"
    yield f"session.startTime.getHours('America/Chicago') < {dice.number(9, 20)}"
    yield f"order.items.filter(i, i.quantity > {dice.number(1, 3)}).size() < {dice.number(2, 5)}"
    yield f"order.items.exists(i, i.displayName.contains('{fourth.split()[-1]}') && i.quantity >= {dice.number(2, 4)})"
    yield (
        "order.items.exists(i, i.modifierGroups.exists(g, "
        f'g.modifiers.exists(m, m.displayName == "{dice.pick(MODIFIERS)}")))'
    )
    yield f"session.languageCode.startsWith('{dice.pick(('en', 'es', 'fr'))}')"
