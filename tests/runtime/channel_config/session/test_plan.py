"""The plan of sessions: made once for a store, its menu and its types, and kept with the active configuration."""

from __future__ import annotations

from tests.runtime.channel_config.brands import brands
from tests.runtime.channel_config.session.session_fixture import BRAND, upsells, voice
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.channel_config.session.plan import MAX_PLANS, session_plan
from trialrun.values.cel import DEFAULT_SCHEMA, Schema


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
