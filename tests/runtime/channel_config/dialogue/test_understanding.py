"""What the agent understands: customer terms, answers to its questions, and phrases in words."""

from pathlib import Path
from textwrap import dedent, indent

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import each_of
from tests.runtime.channel_config.brands import acme, brands
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.dialogue.phrase_matcher import PhraseMatcher, find_phrases, singular_forms
from trialrun.runtime.channel_config.dialogue.understanding import Understanding, build_understanding
from trialrun.runtime.channel_config.menu import OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.turn import MappedTerm

CONFIG = """
kind: ChannelConfig
name: projects/p/locations/l/brands/acme/channelConfigs/voice
type: AGENT_CUSTOMIZATION
operationsConfig:
  disambiguationStrategy:
    mappings:
"""


def ears(mappings: str, *menus: str) -> Understanding:
    """The hearing of a store with some mappings; the first of them stands in line 7 of 2.yaml."""
    catalog = brands(acme("voice"), CONFIG + indent(dedent(mappings).strip("\n"), " " * 6), *menus)
    found = resolve_active_config(catalog.store("main-street"), catalog)
    menu = brand_menu(catalog.brands[0], catalog)
    return build_understanding(found.operations_field("disambiguationStrategy").mappings, menu, found.origin_of)


def in_short(mapped: MappedTerm) -> str:
    """The term and its order lines, one of several where the customer is to say which."""
    lines = {"SINGLE_TARGET": " + ", "INVALID_ITEM": " not ", "DISAMBIGUATION": " or "}
    return f"{mapped.term}: {lines[mapped.kind].join(map(line, mapped.targets))}"


def line(ordered: OrderLineItem) -> str:
    """An order line: 2 Burger (Sauces/Ranch)."""
    modifiers = " ".join(f"({modifier.group}/{modifier.name})" for modifier in ordered.modifiers)
    return f"{ordered.quantity} {ordered.item.name} {modifiers}".rstrip()


MAPPINGS = """
    - type: SINGLE_TARGET
      customerTerms: [number one, the usual, "#1"]
      targets: [{itemName: Smash Combo, modifiers: [{modifierName: Medium, modifierGroupName: Size}]}]
    - type: SINGLE_TARGET
      customerTerms: [family deal, number one large, number two]
      targets: [{itemName: Smash Combo}, {itemName: Fries}]
    - type: DISAMBIGUATION
      customerTerms: [shake, malt]
      targets: [{itemName: Vanilla Shake}, {itemName: Chocolate Shake}]
      customInstruction: Ask which flavor.
    - type: INVALID_ITEM
      customerTerms: [nuggets, chicken nuggets, café crème, crunch]
      targets: [{itemName: Chicken Crunch}]
    - type: SINGLE_TARGET
      customerTerms: [single, small fry, ポテト]
      targets: [{itemName: Fries}]
"""
HEARD = {
    "The number one, please!": ["number one: 1 Smash Combo (Size/Medium)"],
    "NUMBER\u00a0 One": ["number one: 1 Smash Combo (Size/Medium)"],
    "#1": ["#1: 1 Smash Combo (Size/Medium)"],
    "1 burger": [],
    "numbers one": [],
    "a number oneish thing": [],
    "a number one large": ["number one large: 1 Smash Combo + 1 Fries"],
    "cafe\u0301 cre\u0300me": ["café crème: 1 Chicken Crunch"],
    "cafe creme": [],
    "chicken nuggets": ["chicken nuggets: 1 Chicken Crunch"],
    "nuggets, the usual and a malt": [
        "nuggets: 1 Chicken Crunch",
        "the usual: 1 Smash Combo (Size/Medium)",
        "malt: 1 Vanilla Shake or 1 Chocolate Shake",
    ],
    "the usual... the usual": ["the usual: 1 Smash Combo (Size/Medium)"] * 2,
    "ポテトください": ["ポテト: 1 Fries"],
    "": [],
}


@each_of([*HEARD])
def test_terms_are_heard_as_whole_words(said: str) -> None:
    assert [in_short(term) for term in ears(MAPPINGS).understand(said)] == HEARD[said]


QUANTITIES = {
    "two number ones": ["number one: 2 Smash Combo (Size/Medium)"],
    "2 shakes": ["shake: 2 Vanilla Shake or 2 Chocolate Shake"],
    "2x shake": ["shake: 2 Vanilla Shake or 2 Chocolate Shake"],
    "3 x shake": ["shake: 3 Vanilla Shake or 3 Chocolate Shake"],
    "four small fries": ["small fry: 4 Fries"],
    "two family deals": ["family deal: 2 Smash Combo + 2 Fries"],
    "\u0663 shake": ["shake: 3 Vanilla Shake or 3 Chocolate Shake"],
    "0 shake, 1000 shake": ["shake: 1 Vanilla Shake or 1 Chocolate Shake"] * 2,
    "number one shake": ["number one: 1 Smash Combo (Size/Medium)", "shake: 1 Vanilla Shake or 1 Chocolate Shake"],
    "number two shake": ["number two: 1 Smash Combo + 1 Fries", "shake: 1 Vanilla Shake or 1 Chocolate Shake"],
    "two large shakes": [],
    "one shakes": [],
    "shakes": [],
}


@each_of([*QUANTITIES])
def test_a_number_directly_before_a_term_is_its_quantity(said: str) -> None:
    assert [in_short(term) for term in ears(MAPPINGS).understand(said)] == QUANTITIES[said]


@pytest.mark.parametrize(("language", "said"), [("es-US", "dos shake"), ("fr", "deux shake"), ("de", "zwei shake")])
def test_number_words_are_those_of_the_language(language: str, said: str) -> None:
    hears = ears(MAPPINGS)
    assert [term.targets[0].quantity for term in hears.understand(said, language=language)] == [2]
    assert [term.targets[0].quantity for term in hears.understand(said, language="en")] == [1]


MENU = """
    kind: Menu
    items:
      - {name: Smash Combo, id: SW-201, price: 9.5, modifierGroups: [MG-1, Size]}
      - {name: Single Scoop, id: SW-7}
      - {name: Veggie Nuggets, id: SW-8}
      - {name: Nuggets, id: SW-9}
      - {name: Vanilla Shake, id: SW-10, price: 4}
    modifierGroups:
      - {name: Cup, id: MG-1, modifiers: [{name: Medium, id: M-1}]}
      - {name: Size, id: MG-2, modifiers: [{name: Large, id: M-2}, {name: Medium, id: M-3}]}
"""


def test_targets_are_those_of_the_menu_with_their_modifiers() -> None:
    (mapped,) = ears(MAPPINGS, MENU).understand("#1")
    (target,) = mapped.targets
    assert (target.item.id, target.item.price) == ("SW-201", 9.5)
    assert [(modifier.id, modifier.group_id) for modifier in target.modifiers] == [("M-3", "MG-2")]


@pytest.mark.parametrize(
    ("target", "meaning"),
    [
        (
            "itemName: Smash Combo, itemId: SW-201, modifiers: "
            "[{modifierName: Medium, modifierId: M-3, modifierGroupId: MG-2}]",
            "Smash Combo (Size/Medium)",
        ),
        ("itemName: One Scoop, itemId: SW-7, modifiers: [{modifierName: Large}]", "Single Scoop (Size/Large)"),
    ],
)
def test_items_and_modifiers_are_found_by_their_ids(target: str, meaning: str) -> None:
    (mapped,) = ears(f"[{{type: SINGLE_TARGET, customerTerms: [big], targets: [{{{target}}}]}}]", MENU).understand(
        "big"
    )
    assert in_short(mapped) == f"big: 1 {meaning}"


@pytest.mark.parametrize(
    "modifier", ["{modifierName: Hot}", "{modifierName: Medium, modifierGroupName: Sauces}", "{modifierName: Ranch}"]
)
def test_a_modifier_that_the_item_does_not_take_is_not_ordered(modifier: str) -> None:
    mappings = f"""
        - type: SINGLE_TARGET
          customerTerms: [big]
          targets: [{{itemName: Smash Combo, modifiers: [{modifier}, {{modifierName: Large}}]}}]
    """
    (mapped,) = ears(mappings, MENU + "      - {name: Sauces, modifiers: [{name: Ranch}]}\n").understand("big")
    assert in_short(mapped) == "big: 1 Smash Combo (Size/Large)"


@pytest.mark.parametrize("menus", [[MENU], []])
def test_what_the_menu_does_not_have_is_as_it_is_written(menus: list[str]) -> None:
    mappings = """
        - type: SINGLE_TARGET
          customerTerms: [soup]
          targets: [{itemName: Soup, itemId: SW-1, modifiers: [{modifierName: Hot, modifierGroupId: MG-9}]}]
    """
    (mapped,) = ears(mappings, *menus).understand("soup")
    (target,) = mapped.targets
    assert (target.item.name, target.item.id, target.item.price) == ("Soup", "SW-1", 0.0)
    assert [(modifier.name, modifier.group_id) for modifier in target.modifiers] == [("Hot", "MG-9")]


NAMES = {
    "single": ["single: 1 Fries"],
    "a single scoop": [],
    "veggie nuggets": [],
    "nuggets": ["nuggets: 1 Chicken Crunch"],
    "a chicken crunch": [],
    "two vanilla shakes": ["shake: 2 Vanilla Shake"],
    "two chocolate shakes": ["shake: 2 Chocolate Shake"],
}


@each_of([*NAMES])
def test_a_term_inside_the_name_of_an_item_is_that_item(said: str) -> None:
    assert [in_short(term) for term in ears(MAPPINGS, MENU).understand(said)] == NAMES[said]


def test_the_name_of_a_single_target_is_its_term() -> None:
    mappings = """
        - type: SINGLE_TARGET
          customerTerms: [combo]
          targets: [{itemName: Smash Combo, modifiers: [{modifierName: Large}]}]
    """
    assert [in_short(term) for term in ears(mappings, MENU).understand("a smash combo")] == [
        "combo: 1 Smash Combo (Size/Large)"
    ]


CLASHES = """
    - {type: SINGLE_TARGET, customerTerms: [the usual, The  USUAL], targets: [{itemName: Fries}]}
    - {type: DISAMBIGUATION, customerTerms: [the usual!], targets: [{itemName: Tea}, {itemName: Soda}]}
    - {type: INVALID_ITEM, customerTerms: [pizza, "?!"], targets: [{itemName: Fries}]}
    - {type: SINGLE_TARGET, customerTerms: [Pizza], targets: [{itemName: Pie}]}
"""


def test_of_equal_terms_the_first_mapping_counts() -> None:
    hears = ears(CLASHES)
    assert [in_short(term) for term in hears.understand("the usual and pizza")] == [
        "the usual: 1 Fries",
        "pizza: 1 Fries",
    ]


def test_terms_that_are_never_heard_are_told() -> None:
    assert [
        (unreachable_term.term, unreachable_term.reason) for unreachable_term in ears(CLASHES).unreachable_terms
    ] == [
        ("the usual!", "an earlier mapping already maps it to Fries"),
        ("?!", "it contains no word that a customer could say"),
        ("Pizza", "an earlier mapping already maps it to an invalid item"),
    ]


REPLIES = {
    "shake": [
        ("question", 'By "shake", do you mean Vanilla Shake or Chocolate Shake?', 14),
        ("instruction", "Ask which flavor.", 16),
    ],
    "NUGGETS": [("invalid-item", 'Sorry, we do not have "NUGGETS". We do have Chicken Crunch.', 18)],
    "number one": [],
}


@pytest.mark.parametrize("said", REPLIES)
def test_the_agent_asks_and_refuses(said: str) -> None:
    hears = ears(MAPPINGS)
    (mapped,) = hears.understand(said)
    assert [(reply.kind, reply.text, reply.origin.line) for reply in hears.replies(mapped)] == REPLIES[said]


def test_a_question_names_the_modifiers() -> None:
    hears = ears("""
        - type: DISAMBIGUATION
          customerTerms: [burger]
          targets:
            - {itemName: Burger, modifiers: [{modifierName: Cheese}, {modifierName: Bacon}]}
            - {itemName: Double}
            - {itemName: Triple, modifiers: [{modifierName: Cheese}]}
    """)
    (mapped,) = hears.understand("burger")
    asked = 'By "burger", do you mean Burger with Cheese and Bacon, Double or Triple with Cheese?'
    assert [reply.text for reply in hears.replies(mapped)] == [asked]


def test_thousands_of_terms_are_heard_as_soon_as_a_few() -> None:
    terms = [" ".join(["a"] * length) for length in range(1, 50)]
    hears = ears(f"- {{type: SINGLE_TARGET, customerTerms: [{', '.join(terms)}], targets: [{{itemName: A}}]}}")
    assert len(hears.understand("a " * 10_000)) == 205


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


WORDS = st.sampled_from(["a", "bb", "c", "dd", "two", "3"])
PHRASE = st.lists(WORDS, min_size=1, max_size=4).map(tuple)
Span = tuple[int, int]


def plainly(known: set[tuple[str, ...]], words: list[str]) -> list[Span]:
    """The longest phrase of all, of equal ones the earliest, then the next that does not overlap."""
    everywhere = [(start, end) for start in range(len(words)) for end in range(start + 1, len(words) + 1)]
    spans = [span for span in everywhere if tuple(words[slice(*span)]) in known]
    chosen: list[Span] = []
    for span in sorted(spans, key=lambda span: (-len("".join(words[slice(*span)])), span)):
        if all(span[1] <= start or end <= span[0] for start, end in chosen):
            chosen.append(span)
    return sorted(chosen)


@example({("a",), ("a", "bb"), ("bb", "c", "dd")}, ["a", "bb", "c", "dd"])
@given(st.sets(PHRASE, max_size=12), st.lists(WORDS, max_size=24))
def test_the_longest_phrases_are_found_and_none_overlap(known: set[tuple[str, ...]], words: list[str]) -> None:
    phrases: PhraseMatcher[str] = PhraseMatcher()
    for phrase in known:
        phrases.add(phrase, " ".join(phrase))
    spans = [(phrase.start, phrase.end) for phrase in find_phrases([phrases], words, "en")]
    assert spans == plainly(known, words)
    assert all(
        phrase.meaning == " ".join(words[phrase.start : phrase.end]) for phrase in find_phrases([phrases], words, "en")
    )


@each_of(
    [
        ("fries", ("frie", "fri", "fry")),
        ("shakes", ("shake", "shak")),
        ("colas", ("cola",)),
        ("gas", ("ga",)),
        ("is", ()),
        ("cola", ()),
    ]
)
def test_a_word_may_be_the_plural_of_these(word: str, forms: tuple[str, ...]) -> None:
    assert singular_forms(word) == forms


def test_the_question_is_answered_as_it_says() -> None:
    hears = ears("""
        - type: DISAMBIGUATION
          customerTerms: [shake]
          targets: [{itemName: Vanilla Shake}, {itemName: Chocolate Shake}, {itemName: Malted Chocolate Shake}]
    """)
    page = " ".join((Path(__file__).parents[4] / "docs" / "session.md").read_text(encoding="utf-8").split())
    questions = hears.understand("a shake")
    assert hears.replies(questions[0])[0].text in page
    answers = ["vanilla", "the malted one", "a chocolate shake", "vanilla and malted", "chocolate"]
    assert all(f'"{answer}"' in page for answer in answers)
    assert [[in_short(term) for term in hears.understand(answer, pending=questions)] for answer in answers] == [
        ["shake: 1 Vanilla Shake"],
        ["shake: 1 Malted Chocolate Shake"],
        ["shake: 1 Chocolate Shake"],
        ["shake: 1 Vanilla Shake", "shake: 1 Malted Chocolate Shake"],
        [],
    ]
