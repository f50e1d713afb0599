"""A store that hears by disambiguation mappings, out of YAML, and what it hears in short."""

from __future__ import annotations

from textwrap import dedent, indent

from tests.runtime.channel_config.brands import brands
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.dialogue.understanding import Understanding, build_understanding
from trialrun.runtime.channel_config.menu import OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.turn import MappedTerm

BRAND = """
    kind: Brand
    name: projects/p/locations/l/brands/acme
    defaults: [voice]
    stores: [{name: main-street}]
"""
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
    catalog = brands(BRAND, CONFIG + indent(dedent(mappings).strip("\n"), " " * 6), *menus)
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
