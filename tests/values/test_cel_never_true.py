"""Conditions that are always true or false by what a session can have, and those that always fail."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.values.cel import check_expression

HOUR = "session.startTime.getHours('Europe/Berlin')"
# condition · the value that it always has
CONSTANT = [
    ("session.store in []", False),
    ("!(session.store in [])", True),
    ("session.store in {}", False),
    ("session.store in ['a']", None),
    (f"{HOUR} == 25", False),
    (f"{HOUR} > 23", False),
    (f"{HOUR} < 24", True),
    (f"{HOUR} >= 0", True),
    (f"{HOUR} != 24", True),
    (f"{HOUR} == 23", None),
    (f"{HOUR} in [24, 25]", False),
    (f"{HOUR} in [23, 24]", None),
    (f"{HOUR} >= 22 && {HOUR} < 6", False),
    ("session.startTime.getDayOfWeek() == 7", False),
    ("session.startTime.getDayOfWeek() == 0", None),
    ("session.startTime.getMonth() == 12", False),
    ("session.startTime.getMonth() == 0", None),
    ("session.startTime.getDate() == 0", False),
    ("session.startTime.getDayOfMonth() == 31", False),
    ("session.startTime.getDayOfYear() == 366", False),
    ("session.startTime.getMinutes() == 60", False),
    ("duration('90m').getMinutes() == 90", True),
    ("session.turn < 0", False),
    ("session.upsellOffers >= 0", True),
    ("order.items.size() < 0", False),
    ("order.items.exists(i, i.displayName in [])", False),
]
# condition · the part that always fails
FAILING = [
    ("1 / 0 > 1", "1 / 0"),
    ("session.turn > 1 && 1 % 0 == 1", "1 % 0"),
    ("[1, 2][5] == session.turn", "[1, 2][5]"),
    ("order.items[-1].quantity > 1", "order.items[-1]"),
    ("{'a': 1}['b'] == session.turn", "{'a': 1}['b']"),
    ("session.turn + 9223372036854775807 + 1 > 1", None),
    ("session.turn > 1 || 1 / 0 > 1", None),
    ("!(session.turn > 1 && 1 / 0 > 1)", None),
    ("session.turn > 1 ? 1 / 0 > 1 : true", None),
    ("order.items.exists(i, 1 / 0 > 1)", None),
    ("order.items[0].quantity > 1", None),
    ("order.items.all(i, [1][i.quantity] > 1)", None),
]


@each_of(CONSTANT)
def test_what_a_session_can_have(text: str, value: bool | None) -> None:
    found = check_expression(text)
    assert (found.problems, found.constant) == ((), value)


@each_of(FAILING)
def test_what_always_fails(text: str, part: str | None) -> None:
    found = check_expression(text)
    assert found.problems == ()
    assert (text[slice(*found.failing)] if found.failing else None) == part
