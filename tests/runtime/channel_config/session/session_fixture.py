"""Sessions out of YAML text, for tests: one store, one strategy, a small menu.

session = play(upsells("- {priority: 1, celUpsell: {...}}"))
session.turn([add("Fries", 2)])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from textwrap import dedent, indent
from typing import Any

from tests.runtime.channel_config.brands import brands
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.actions import Add
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import SkipReasonCode, Turn
from trialrun.runtime.options import DEFAULT_OPTIONS, Options
from trialrun.values.cel import DEFAULT_SCHEMA, Schema

BEGIN = datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
BRAND = """
kind: Brand
name: b
defaults: [upsells, voice]
stores: [{name: s, timeZone: America/Chicago}]
---
kind: Menu
brand: b
items:
  - {name: Burger, id: I-1, price: 6.10, modifierGroups: [Extras]}
  - {name: Fries, id: I-2, price: 2.20, modifierGroups: [Size]}
  - {name: Vanilla Shake, id: I-3, price: 4.49, modifierGroups: []}
  - {name: Chocolate Shake, id: I-4, price: 4.49, modifierGroups: []}
  - {name: Cookie, id: I-5, price: 0.10, modifierGroups: []}
modifierGroups:
  - {name: Extras, id: G-1, modifiers: [{name: Cheese, id: M-1}, {name: Bacon, id: M-2}]}
  - {name: Size, id: G-2, modifiers: [{name: Large, id: M-3}]}
"""
NAME = "projects/p/locations/l/brands/b/channelConfigs"


def strategy(text: str) -> str:
    """A config with an upsell strategy."""
    head = f"kind: ChannelConfig\nname: {NAME}/upsells\ntype: UPSELL_STRATEGY\noperationsConfig:\n  upsellStrategy:\n"
    return head + indent(dedent(text).strip("\n"), "    ")


def upsells(text: str) -> str:
    """A config with these upsells, and no limits."""
    return strategy("upsells:\n" + indent(dedent(text).strip("\n"), "  "))


def voice(text: str) -> str:
    """A config of the agent with these operations."""
    head = f"kind: ChannelConfig\nname: {NAME}/voice\ntype: AGENT_CUSTOMIZATION\noperationsConfig:\n"
    return head + indent(dedent(text).strip("\n"), "  ")


def play(
    *texts: str,
    seed: int = 1,
    schema: Schema = DEFAULT_SCHEMA,
    brand: str = BRAND,
    choices: Options = DEFAULT_OPTIONS,
    **options: Any,
) -> Session:
    """A session at the one store; a text that is no whole config is a list of upsells."""
    active, menu = at_the_store(choices, brand, *(text if "kind:" in text else upsells(text) for text in texts))
    settings = {"types": types_of(schema), "begin": BEGIN, **options}
    return Session(active, menu, seed=seed, **settings)


@lru_cache(maxsize=4)
def at_the_store(choices: Options, *texts: str) -> tuple[ActiveConfig, BrandMenu]:
    """What is in force at the one store, which the sessions of some texts share as those of a server do."""
    catalog = brands(*texts)
    store = catalog.store("s")
    return resolve_active_config(store, catalog, choices), brand_menu(store.brand, catalog, store.store)


@lru_cache(maxsize=4)
def types_of(schema: Schema) -> Callable[[str], Schema]:
    """The session types of every file."""
    return lambda path: schema


def ordered(name: str, quantity: int = 1, *modifiers: str) -> OrderLineItem:
    """So many of an item of the menu."""
    _, menu = at_the_store(DEFAULT_OPTIONS, BRAND)
    item = menu.item(name)
    return OrderLineItem(item, quantity, tuple(menu.modifier(modifier, item) for modifier in modifiers))


def add(name: str, quantity: int = 1, *modifiers: str) -> Add:
    """The move that orders it."""
    return Add(ordered(name, quantity, *modifiers))


def offered(turn: Turn) -> list[str]:
    """What is offered: the first item of each."""
    return [offer.items[0] for offer in turn.offers]


def reasons(turn: Turn) -> dict[str, Sequence[SkipReasonCode]]:
    """Why the others are passed over, by their names."""
    return {
        skipped_upsell.upsell.displayName or "": [each.code for each in skipped_upsell.reasons]
        for skipped_upsell in turn.skipped
    }


def why(turn: Turn, code: SkipReasonCode) -> str:
    """The words of a reason."""
    return next(each.text for skipped_upsell in turn.skipped for each in skipped_upsell.reasons if each.code == code)


def lines(turn: Turn) -> list[tuple[str, int]]:
    """The order: names and quantities."""
    return [(item.item.name, item.quantity) for item in turn.order]
