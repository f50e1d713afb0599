"""A session from the welcome to the end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from tests.runtime.channel_config.brands import brands
from tests.runtime.channel_config.session.session_fixture import (
    BRAND,
    add,
    lines,
    offered,
    play,
    reasons,
    upsells,
    voice,
)
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.channel_config.session.actions import Accept, Decline, Finish
from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS
from trialrun.runtime.channel_config.session.plan import MAX_PLANS, session_plan
from trialrun.runtime.channel_config.session.turn import SkipReasonCode
from trialrun.values.cel import DEFAULT_SCHEMA, Schema

UPSELLS = upsells(
    """
    - displayName: Hello
      priority: 9
      greetingOffer:
        messages: [{upsoldItems: [Cookie], messageConfigs: [{languageCode: en, messageText: A cookie today?}]}]
    - displayName: Side
      priority: 1
      celUpsell: {conditionExpression: "order.items.exists(i, i.displayName == 'Burger')", suggestedMenuItems: [Fries]}
    - displayName: Sweet
      priority: 2
      closingOffer:
        closingMessages:
          - offerMessage: {upsoldItemIds: [I-3], messageConfigs: [{languageCode: en, messageText: A shake?}]}
    """
)
VOICE = voice(
    """
    defaultLanguageCode: en
    greetings: [{languageCode: en, greetingPhrases: [Welcome!]}]
    """
)


def test_a_session_greets_and_makes_its_greeting_offer_at_turn_0() -> None:
    turn = play(UPSELLS, VOICE).welcome()
    assert (turn.number, turn.language) == (0, "en")
    assert [(utterance.kind, utterance.text) for utterance in turn.utterances] == [
        ("greeting", "Welcome!"),
        ("greeting-offer", "A cookie today?"),
    ]
    assert offered(turn) == ["Cookie"]


def test_an_upsell_that_triggers_is_offered_and_accepting_it_orders_it() -> None:
    session = play(UPSELLS, VOICE)
    assert offered(session.turn([add("Burger")])) == ["Fries"]
    turn = session.turn([Accept()])
    assert lines(turn) == [("Burger", 1), ("Fries", 1)]
    assert reasons(turn) == {"Side": ["offered-before"]}


def test_the_closing_offer_follows_the_end_of_the_order_and_can_be_declined() -> None:
    session = play(UPSELLS, VOICE)
    turn = session.turn([add("Cookie"), Finish()])
    assert turn.finished
    assert offered(turn) == ["Vanilla Shake"]
    assert session.turn([Decline()]).offers == ()
    assert session.state["session"]["upsellDeclines"] == 1


def test_the_default_language_is_canonical_for_conditions() -> None:
    session = play(voice("defaultLanguageCode: en-us"))
    assert (session.language, session.state["session"]["languageCode"]) == ("en-US", "en-US")
    assert play(voice("defaultLanguageCode: nonsense!")).language == ""


def types(path: str) -> Schema:
    return DEFAULT_SCHEMA


def test_sessions_of_a_store_share_a_plan_and_a_few_are_kept() -> None:
    catalog = brands(BRAND, upsells("- {priority: 1}"), voice("defaultLanguageCode: en"))
    store = catalog.store("s")
    active, menu = resolve_active_config(store, catalog), brand_menu(store.brand, catalog)
    plan = session_plan(active, menu, types)
    assert session_plan(active, menu, types) is plan
    assert session_plan(resolve_active_config(store, catalog), menu, types) is not plan
    for _ in range(MAX_PLANS):
        session_plan(active, menu, lambda path: DEFAULT_SCHEMA)
    assert len(active.session_plans) == MAX_PLANS
    assert session_plan(active, menu, types) is not plan


ROOT = Path(__file__).parents[4]
PAGE = (ROOT / "docs" / "session.md").read_text(encoding="utf-8")


def test_every_reason_has_a_row() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \|", PAGE.partition("### Why")[2].partition("### The state")[0], re.MULTILINE)
    assert sorted(rows) == sorted(get_args(SkipReasonCode))


def test_every_field_that_the_session_keeps_is_told() -> None:
    told = PAGE.partition("### The state")[2]
    assert {field for session_field in SESSION_FIELDS.values() for field in session_field} <= set(
        re.findall(r"\w+", told)
    )


def test_every_row_of_the_assumptions_that_is_cited_is_there() -> None:
    cited = set(re.findall(r"\((session-[a-z-]+)\)", PAGE))
    rows = set(re.findall(r"^\| (session-[a-z-]+) \|", (ROOT / "docs/assumptions.md").read_text("utf-8"), re.MULTILINE))
    assert cited <= rows
    assert len(cited) > 10
