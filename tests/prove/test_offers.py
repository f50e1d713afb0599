"""Whether an upsell is offered beside the others: what keeps it back in every session, and what only sometimes."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.cases import share_of
from tests.program import Run, own_environment
from tests.prove.stores import AT, HAS_BURGER, message, offered, proofs, upsell, write_store
from trialrun.runtime.channel_config.session.turn import SkipReasonCode

BIG, SMALL = upsell("Big", "order.subtotal > 5.0", "Cola"), upsell("Small", "order.subtotal > 9.0")
TWO = {"maxUpsellOffers": 2}
ONE = {"maxUpsellOffers": 1}
SHADOWED: tuple[tuple[str, list[dict[str, Any]], dict[str, Any], str], ...] = (
    # upsell, all upsells, strategy, why it is never offered, or the verdict
    ("Small", [BIG, SMALL], ONE, '"Big" is always offered first and maxUpsellOffers is 1'),
    ("Small", [BIG, SMALL], TWO, "possible"),  # in the turn after
    ("Small", [BIG, SMALL], {}, "possible"),  # no limit
    ("Small", [SMALL, BIG], ONE, "possible"),  # it is favored itself
    ("Small", [BIG, upsell("Small", "order.subtotal > 9.0", cel={"priority": 5})], ONE, "possible"),
    ("Small", [upsell("Big", "order.subtotal > 12.0"), SMALL], ONE, "possible"),  # at a total between them
    ("Small", [{**BIG, "disabled": True}, SMALL], ONE, "possible"),
    ("Small", [{**BIG, "skipOnMultiQuantityUpsoldFromItem": True}, SMALL], ONE, '"Big" is always offered first'),
    (
        "Small",
        [upsell("Big", HAS_BURGER, skipOnMultiQuantityUpsoldFromItem=True), upsell("Small", HAS_BURGER)],
        ONE,
        "possible",  # two burgers skip the other one
    ),
    ("Small", [upsell("Big", "order.subtotal > 5.0", "Hash Browns"), SMALL], ONE, "possible"),  # sold in the morning
    ("Small", [upsell("Big", "order.subtotal > 5.0", cel={"suggestionOnly": True}), SMALL], ONE, "possible"),
    (
        "Three",
        [upsell("One", "order.subtotal > 3.0"), upsell("Two", "order.items.size() > 0"), upsell("Three", HAS_BURGER)],
        TWO,
        '"One" and "Two" are always offered first and maxUpsellOffers is 2',
    ),
    ("Many", [upsell("Many", "order.items.exists(i, i.quantity > 3)")], {"maxItemsInCart": 3}, "maxItemsInCart is 3"),
    ("Few", [upsell("Few", "order.items.exists(i, i.quantity > 2)")], {"maxItemsInCart": 3}, "possible"),
    ("Any", [upsell("Any", "true")], {"maxUpsellDeclines": 0}, "maxUpsellDeclines is 0"),
    ("Late", [upsell("Late", "session.upsellDeclines >= 1")], {}, "its condition is true in no turn that may offer it"),
    (
        "Late",
        [upsell("Any", "true"), upsell("Late", "session.upsellDeclines >= 1")],
        {"maxUpsellDeclines": 1},
        "maxUpsellDeclines is 1",
    ),
    ("Late", [upsell("Any", "true"), upsell("Late", "session.upsellDeclines >= 1")], {}, "possible"),  # one is declined
    ("Dear", [upsell("Dear", "order.items.exists(i, i.basePrice > 7.0)")], {}, "its condition is never true"),
    ("Any", [upsell("Any", "true", skipOnMultiQuantityUpsoldFromItem=True)], {}, "possible"),
    (
        "Two burgers",
        [
            upsell(
                "Two burgers",
                "order.items.exists(i, i.displayName == 'Burger' && i.quantity > 1)",
                skipOnMultiQuantityUpsoldFromItem=True,
            )
        ],
        {},
        "skipOnMultiQuantityUpsoldFromItem is set",
    ),
    ("Hi", [message("Hi", "greetingOffer", "Cola")], {}, "possible"),
    ("Bye", [message("Bye", "closingOffer", "Cola")], {}, "possible"),
    ("Bye", [message("Bye", "closingOffer", "Hash Browns")], {}, "possible"),  # in the morning
    ("Bye", [message("Bye", "closingOffer", "Cola", skipTerms=["Cola"])], {}, "possible"),  # without a cola
    (
        "Any",
        [message("Hi", "greetingOffer", "Cola"), upsell("Any", "true")],
        ONE,
        "a greeting offer is made in every session and maxUpsellOffers is 1",
    ),
    # what may not be sold at the moment is in front of nothing
    ("Any", [message("Hi", "greetingOffer", "Hash Browns"), upsell("Any", HAS_BURGER)], ONE, "possible"),
    ("Any", [upsell("Morning", "true", "Hash Browns"), upsell("Any", HAS_BURGER)], ONE, "possible"),
    ("First", [upsell("First", "session.turn == 1", skipOnPreviousTurnUpsell=True)], {}, "possible"),
    (
        "First",
        [message("Hi", "greetingOffer", "Cola"), upsell("First", "session.turn == 1", skipOnPreviousTurnUpsell=True)],
        {},
        "a greeting offer is made in every session and skipOnPreviousTurnUpsell is set",
    ),
)

TERMS = {
    "disabled": "never",
    "listen-only": "never",
    "max-offers": "limit",
    "max-declines": "limit",
    "max-items": "limit",
    "previous-turn": "history",
    "multi-quantity": "order",
    "offered-before": "history",
    "condition-false": "condition",
    "condition-error": "condition",
    "less-favored": "other upsells",
    "unavailable": "free",
    "skip-term": "cannot happen",
    "frequency": "cannot happen",
    "no-language": "cannot happen",
}
"""What each reason for skipping a CEL upsell is in the formulas; the last three are of greeting and closing offers."""


@pytest.mark.parametrize(("name", "upsells", "strategy", "expected"), SHADOWED)
def test_an_upsell_is_offered_or_it_is_proved_why_not(
    run: Run, tmp_path: Path, name: str, upsells: list[dict[str, Any]], strategy: dict[str, Any], expected: str
) -> None:
    write_store(tmp_path, *upsells, **strategy)
    found = offered(run)[name]
    assert found == expected or found.startswith(f"{expected} and ")


def test_every_reason_for_a_skip_is_a_term_or_cannot_happen() -> None:
    assert set(TERMS) == set(get_args(SkipReasonCode))


def test_the_favored_upsells_and_the_limit_are_related_places(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, BIG, SMALL, **ONE)
    [small] = [one for one in proofs(run) if one["question"] == "offered" and one["upsell"] == "Small"]
    assert [(one["message"], one["place"]["line"]) for one in small["related"]] == [
        ('"Big" is favored', 14),
        ("maxUpsellOffers is set", 8),
    ]


@pytest.mark.exhaustive
@pytest.mark.generated
def test_each_possible_is_a_session_that_its_command_plays(run: Run, tmp_path: Path) -> None:
    write_store(
        tmp_path, message("Hi", "greetingOffer", "Hash Browns"), BIG, SMALL, message("Bye", "closingOffer", "Cola")
    )
    shown = [one for one in proofs(run) if one["question"] == "offered" and one["verdict"] == "possible"]
    assert [one["upsell"] for one in shown] == ["Hi", "Big", "Small", "Bye"]
    for one in share_of(shown, 2):
        program = (
            f'trialrun() {{ {sys.executable} -m trialrun "$@"; }}\n{one["example"]["replay"]} --output-format json'
        )
        words, environment = ["bash", "-c", program], own_environment(tmp_path)
        ran = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, check=True, timeout=60)
        turns = json.loads(ran.stdout)["turns"]
        assert [offer["upsell"] for offer in turns[one["example"]["turn"]]["offered"]] == [one["upsell"]]


def test_a_session_of_several_turns_shows_what_needs_them(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, BIG, SMALL, **TWO)
    [small] = [one for one in proofs(run) if one["question"] == "offered" and one["upsell"] == "Small"]
    assert small["example"]["script"] == ["add 2 Burger", "say hm"]
    assert small["example"]["turn"] == 2


def test_the_same_is_proved_at_any_time(run: Run, tmp_path: Path) -> None:
    write_store(tmp_path, BIG, SMALL, **ONE)
    outputs = [run("prove", "corner", *AT, "--output-format", "json").out for _ in range(2)]
    assert outputs[0] == outputs[1]
