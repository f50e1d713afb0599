"""What the rule unreachable-upsell tells of is indeed never offered in a session."""

from __future__ import annotations

from itertools import product

from tests.cases import each_of
from tests.lint.workspace_findings import judged
from tests.runtime.channel_config.session.session_fixture import add, play, strategy

ITEMS = ("Fries", "Cookie", "Vanilla Shake")
CONDITIONS = ("true", "order.subtotal > 1.0")


def told(text: str) -> list[int]:
    """The places of the upsells that the rule tells of."""
    found = judged("unreachable-upsell", [("upsells.yaml", strategy(text))])
    return [int(one.pointer.rpartition("/")[2]) for one in found]


def upsell(place: int, condition: str, favor: int) -> str:
    rule = f'{{conditionExpression: "{condition}", suggestedMenuItems: [{ITEMS[place]}], priority: {favor}}}'
    return f"  - {{priority: {place + 1}, celUpsell: {rule}}}"


@each_of(product(list(product(CONDITIONS, repeat=3)), [1, 2]))
def test_an_upsell_that_is_told_of_is_never_offered(conditions: tuple[str, ...], most: int) -> None:
    for favors in product((0, 1), repeat=3):
        lines = [upsell(place, *pair) for place, pair in enumerate(zip(conditions, favors, strict=True))]
        text = f"maxUpsellOffers: {most}\nupsells:\n" + "\n".join(lines)
        session = play(strategy(text))
        turns = [session.turn([add("Burger")]), *(session.turn([]) for _ in range(4))]
        offered = {item for turn in turns for offer in turn.offers for item in offer.items}
        assert offered.isdisjoint(ITEMS[place] for place in told(text))
        if set(conditions) == {"true"}:
            assert {ITEMS[place] for place in told(text)} == {*ITEMS} - offered


def test_of_equal_priorities_the_first_as_written_stands_in_front() -> None:
    equal = [
        upsell(0, condition="true", favor=1),
        upsell(1, condition="true", favor=1).replace("priority: 2", "priority: 1"),
    ]
    text = "maxUpsellOffers: 1\nupsells:\n" + "\n".join(equal)
    turn = play(strategy(text)).turn([add("Burger")])
    assert ([item for offer in turn.offers for item in offer.items], told(text)) == (["Fries"], [1])
