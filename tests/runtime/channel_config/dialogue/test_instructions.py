"""What the configs of a store tell the agent, and the tools that they give it."""

import json
import re
from pathlib import Path

import pytest

from tests.cases import each_of
from tests.runtime.channel_config.brands import acme, at_store
from trialrun.model.channel_config import FeaturesConfig
from trialrun.runtime.channel_config.active_config import ActiveConfig
from trialrun.runtime.channel_config.dialogue.instructions import FEATURES, instructions, tools

VOICE = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/voice
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY
    supplementalInstructions:
      freeformInstructions: |
        Say "smash".

        Never guess.
    operationsConfig:
      interactionMode: ORDER_TAKING
      featuresConfig:
        endSessionWithCheckoutRequest: {}
        orderPickup: {}
        budgetBasedOrdering: false
      disambiguationStrategy:
        mappings:
          - type: DISAMBIGUATION
            customerTerms: [shake, malt, float]
            targets: [{itemName: A}, {itemName: B}]
            customInstruction: Ask which flavor.
"""
UPSELLS = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/upsells
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        cateringGuidelines: One tray feeds ten.
        upsells:
          - priority: 2
            celUpsell: {conditionExpression: "true", suggestedMenuItems: [Tea, Soda], triggerReason: It is hot.}
          - displayName: Fries first
            priority: 1
            celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries], triggerReason: They go together.}
          - priority: 3
            disabled: true
            celUpsell: {conditionExpression: "true", suggestedMenuItems: [Pie], triggerReason: It is left over.}
"""


def store(*configs: str) -> ActiveConfig:
    return at_store("main-street", acme("voice", "upsells"), *configs)


def told(features: str) -> list[str]:
    return [instruction.text for instruction in instructions(store(_with(features)))]


def given(features: str) -> list[str]:
    return [tool.name for tool in tools(store(_with(features)))]


def _with(features: str) -> str:
    head = VOICE.partition("    tone:")[0]
    return f"{head}    operationsConfig:\n      featuresConfig: {{{features}}}\n"


def test_the_instructions_read_from_the_general_to_the_particular() -> None:
    assert [
        (f"{instruction.origin.path}:{instruction.origin.line}", instruction.text)
        for instruction in instructions(store(VOICE, UPSELLS))
    ] == [
        ("2.yaml:11", "Take the customer's order in a two-way conversation."),
        ("2.yaml:4", "Be friendly."),
        ("2.yaml:14", "Customers can order for pickup."),
        ("2.yaml:15", "Do not suggest orders for a budget."),
        ("2.yaml:13", "When the order is complete, end the session with a checkout request."),
        ("3.yaml:6", "One tray feeds ten."),
        ("2.yaml:21", 'When a customer says "shake", "malt" or "float": Ask which flavor.'),
        ("3.yaml:12", 'When you offer Fries ("Fries first"): They go together.'),
        ("3.yaml:9", 'When you offer Tea or Soda ("priority 2"): It is hot.'),
        ("2.yaml:6", 'Say "smash".\n\nNever guess.\n'),
    ]


BULLETS = "  - one\n  - two\n"


def test_texts_are_verbatim() -> None:
    mapping = {
        "type": "INVALID_ITEM",
        "customerTerms": ["a"],
        "targets": [{"itemName": "B"}],
        "customInstruction": BULLETS,
    }
    config = {
        "kind": "ChannelConfig",
        "name": "projects/p/locations/l/brands/acme/channelConfigs/voice",
        "type": "AGENT_CUSTOMIZATION",
        "operationsConfig": {
            "upsellStrategy": {"cateringGuidelines": BULLETS},
            "disambiguationStrategy": {"mappings": [mapping]},
        },
        "supplementalInstructions": {"freeformInstructions": BULLETS},
    }
    given = [instruction.text for instruction in instructions(store(json.dumps(config)))]
    assert given == [BULLETS, f'When a customer says "a":\n{BULLETS}', BULLETS]


ROWS = {
    "orderPickup: {}": ("Customers can order for pickup.", "order_pickup"),
    "orderDineIn: {}": ("Customers can order for dine-in.", "order_dine_in"),
    "nameCollection: {}": ("Ask for the customer's name and record it with the order.", "collect_name"),
    "confirmOrderInfoAtStart: true": (
        "At the start of the session, confirm the order information with the customer.",
        None,
    ),
    "confirmOrderInfoAtStart: false": ("Do not confirm the order information at the start of the session.", None),
    "confirmOrderInfoOnFinalize: true": (
        "Before the order is finalized, read it back and have the customer confirm it.",
        None,
    ),
    "confirmOrderInfoOnFinalize: false": (
        "Finalize the order without reading it back for the customer to confirm.",
        None,
    ),
    "getOrderPrices: {}": (
        "Take prices and the total from the point-of-sale system, never from memory.",
        "get_order_prices",
    ),
    "endSessionWithCheckoutRequest: {}": (
        "When the order is complete, end the session with a checkout request.",
        "request_checkout",
    ),
    "enableAddressCollection: {}": (
        "If the order is for delivery, ask for the delivery address and record it with the order.",
        "collect_address",
    ),
    "supportCashPayment: {}": ("Customers can pay in cash.", "pay_in_cash"),
    "budgetBasedOrdering: true": (
        "When a customer names a budget, suggest an order that stays within it.",
        "order_within_budget",
    ),
    "budgetBasedOrdering: false": ("Do not suggest orders for a budget.", None),
}


@each_of([*ROWS])
def test_each_row_of_the_features_tells_the_agent_something(row: str) -> None:
    instruction, tool = ROWS[row]
    assert told(row) == [instruction]
    assert given(row) == ([tool] if tool else [])


def test_features_that_are_unset_tell_nothing() -> None:
    assert told("") == []
    assert given("") == []


@pytest.mark.parametrize("replacement", ["true", "false"])
def test_the_deprecated_confirmation_gives_way_to_the_one_that_replaces_it(replacement: str) -> None:
    both = f"confirmOrderInfoAtStart: true, confirmOrderInfoOnFinalize: {replacement}"
    assert told(both) == [ROWS[f"confirmOrderInfoOnFinalize: {replacement}"][0]]


def test_tools_come_in_the_order_of_a_session_with_their_places() -> None:
    assert [(tool.name, tool.origin.line) for tool in tools(store(VOICE))] == [
        ("order_pickup", 14),
        ("request_checkout", 13),
    ]


@pytest.mark.parametrize(
    ("tone", "text"),
    [("CONCISE_AND_DIRECT", "Be concise and direct."), ("PROFESSIONAL_AND_FORMAL", "Be professional and formal.")],
)
def test_a_tone_is_an_instruction(tone: str, text: str) -> None:
    assert text in [instruction.text for instruction in instructions(store(VOICE.replace("FRIENDLY", tone)))]


def test_an_agent_that_only_listens_is_told_so_first() -> None:
    first, *_ = instructions(store(VOICE.replace("ORDER_TAKING", "LISTEN_ONLY")))
    assert first.text == (
        "Only listen: record the order and say nothing to the customer, whatever other instructions say."
    )


def test_nothing_in_force_tells_nothing() -> None:
    assert instructions(store()) == ()


ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "session.md").read_text(encoding="utf-8")


def test_the_table_has_every_feature() -> None:
    table = re.findall(r"^\| (\w+) \| (.+) \| (.*) \| (?:`(\w+)`)? ?\|$", PAGE, re.MULTILINE)
    told = [(field, one.on, one.off, one.tool[0] if one.tool else "") for field, one in FEATURES.items()]
    assert [row for row in table if row[0] in FEATURES] == told


def test_every_feature_of_the_specification_is_told() -> None:
    assert set(FEATURES) == set(FeaturesConfig.model_fields)


def test_each_assumption_that_it_names_has_a_row() -> None:
    rows = set(re.findall(r"^\| ([a-z-]+) \|", (ROOT / "docs" / "assumptions.md").read_text("utf-8"), re.MULTILINE))
    named = {name for names in re.findall(r"\(([a-z, -]+)\)", PAGE) for name in names.split(", ")}
    ours = {name for name in named if re.match(r"(say|hear|suggest)-", name)}
    assert len(ours) > 10
    assert ours - rows == set()
