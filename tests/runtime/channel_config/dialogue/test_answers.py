"""How a question among targets is answered."""

from __future__ import annotations

from tests.cases import each_of
from tests.runtime.channel_config.dialogue.understanding_fixture import ears, in_short
from trialrun.runtime.channel_config.dialogue.understanding import is_answered
from trialrun.runtime.channel_config.menu import Item, OrderLineItem

HEARS = ears(
    """
    - type: DISAMBIGUATION
      customerTerms: [shake]
      targets:
        - {itemName: Vanilla Shake, modifiers: [{modifierName: Large, modifierGroupName: Size}]}
        - {itemName: Chocolate Shake}
        - {itemName: Chocolate and Cherry Shake}
    - type: DISAMBIGUATION
      customerTerms: [cola]
      targets: [{itemName: Cola}, {itemName: Diet Cola}]
    - {type: SINGLE_TARGET, customerTerms: [vanilla], targets: [{itemName: Vanilla Ice}]}
    - type: DISAMBIGUATION
      customerTerms: [sundae]
      targets: [{itemName: Vanilla Sundae}, {itemName: Fudge Sundae}]
    - type: DISAMBIGUATION
      customerTerms: [combo]
      targets:
        - {itemName: Smash Combo, modifiers: [{modifierName: Small Drink, modifierGroupName: Size}]}
        - {itemName: Smash Combo, modifiers: [{modifierName: Large Drink, modifierGroupName: Size}]}
""",
    "{kind: Menu, items: [{name: Cherry Pie}, {name: Diet}]}",
)
ANSWERS = {
    ("shake", "vanilla"): ["shake: 1 Vanilla Shake (Size/Large)"],
    ("shake", "the CHERRY one"): ["shake: 1 Chocolate and Cherry Shake"],
    ("shake", "chocolate shake, please"): ["shake: 1 Chocolate Shake"],
    ("shake", "chocolate"): [],
    ("shake", "and"): [],
    ("shake", "whatever"): [],
    ("two shakes", "vanilla"): ["shake: 2 Vanilla Shake (Size/Large)"],
    ("two shakes", "one vanilla, one cherry"): [
        "shake: 1 Vanilla Shake (Size/Large)",
        "shake: 1 Chocolate and Cherry Shake",
    ],
    ("cola", "diet"): ["cola: 1 Diet Cola"],
    ("cola", "just cola"): ["cola: 1 Cola"],
    ("shake and sundae", "vanilla"): ["sundae: 1 Vanilla Sundae"],
    ("combo", "the large drink"): ["combo: 1 Smash Combo (Size/Large Drink)"],
    ("combo", "small"): ["combo: 1 Smash Combo (Size/Small Drink)"],
    ("combo", "smash combo"): ["combo: 1 Smash Combo (Size/Small Drink) or 1 Smash Combo (Size/Large Drink)"],
    ("combo", "drink"): [],
    ("shake", "a cherry pie"): [],
    ("shake and a cola", "diet and vanilla"): ["cola: 1 Diet Cola", "shake: 1 Vanilla Shake (Size/Large)"],
    ("shake", "shake"): ["shake: 1 Vanilla Shake (Size/Large) or 1 Chocolate Shake or 1 Chocolate and Cherry Shake"],
}


@each_of([*ANSWERS])
def test_words_that_one_target_alone_has_answer_a_question(asked: str, answer: str) -> None:
    questions = HEARS.understand(asked)
    assert [in_short(term) for term in HEARS.understand(answer, pending=questions)] == ANSWERS[asked, answer]


def test_without_a_question_the_same_words_answer_nothing() -> None:
    assert [in_short(term) for term in HEARS.understand("diet or vanilla")] == ["vanilla: 1 Vanilla Ice"]


def test_ordering_a_target_answers_a_question() -> None:
    (asked,) = HEARS.understand("shake")
    assert is_answered(asked, [OrderLineItem(Item("Chocolate Shake", "", 0.0))])
    assert not is_answered(asked, [OrderLineItem(Item("Vanilla Ice", "", 0.0))])
