"""What `unavailable-menu-item` calls never sold is offered in no session, whatever the menus, stores and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Any

import pytest
import yaml

from tests.cases import number_of_cases
from tests.lint.workspace_findings import judged
from tests.runtime.channel_config.brands import brands
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.options import Options
from trialrun.values.cel import DEFAULT_SCHEMA

CASES, MORE_CASES = 400, 20_000
PARENT = "projects/p/locations/l"
NAMES = ("Fries", "fries", "Shake", "Café", "Cafe\u0301")
IDS = ("1", "2", "Fries")
DAYPARTS = ("breakfast", "lunch", "dinner")
STORES = ("a1", "a2", "b1", "brands/a/stores/a1", "nowhere")
TIMES = [datetime(2026, 3, 8, 1, 30, tzinfo=UTC) + timedelta(hours=hours) for hours in (0, 6, 7, 24 * 238 + 5)]
CONDITIONS = (
    "true",
    "session.daypartId == 'lunch'",
    "'lunch' == session.daypartId && order.subtotal >= 0.0",
    "session.daypartId in ['lunch', 'dinner']",
    "session.daypartId == 'lunch' || session.daypartId == 'dinner'",
    "session.daypartId == 'lunch' || order.subtotal >= 0.0",
    "session.daypartId != 'lunch'",
    "!(session.daypartId == 'lunch')",
    "!(session.daypartId != 'lunch') && session.daypartId == 'lunch'",
    "['lunch', 'dinner'].exists(part, part == session.daypartId)",
    "session.daypartId == 'lunch' ? true : session.daypartId == 'breakfast'",
    "session.daypartId in ['lunch', '']",
    r"session.daypartId == 'l\x75nch'",
)


def some(random: Random, values: tuple[str, ...], most: int = 2) -> list[str]:
    return random.sample(values, random.randint(1, most))


def availability(random: Random) -> dict[str, Any]:
    if random.random() < 0.2:
        return {"soldOut": True}
    choices: dict[str, Any] = {
        "soldOut": random.random() < 0.7,
        "stores": some(random, STORES),
        "exceptStores": some(random, STORES, 3),
        "dayparts": some(random, DAYPARTS),
        "hours": [{"start": random.choice(["22:00", "06:00", "25:99"]), "end": random.choice(["02:00", "24:00"])}],
        "dates": [{"start": random.choice(["2026-03-09", "9999-99-99"])}],
    }
    return {name: choices[name] for name in random.sample(sorted(choices), random.choice([0, 1, 1, 2]))}


def item(random: Random) -> dict[str, Any]:
    made: dict[str, Any] = {"availability": availability(random)} if random.random() < 0.8 else {}
    for field, values in (("name", NAMES), ("displayName", NAMES), ("semanticName", NAMES), ("id", IDS)):
        if random.random() < 0.4:
            made[field] = random.choice(values)
    return made if made.keys() & {"name", "displayName", "semanticName"} else {**made, "name": "Fries"}


def menu(random: Random) -> dict[str, Any]:
    head = {"kind": "Menu"} | (
        {"brand": random.choice(["a", "b", f"{PARENT}/brands/a"])} if random.random() < 0.7 else {}
    )
    if random.random() < 0.2:
        head["availability"] = availability(random)
    if random.random() < 0.5:
        head["dayparts"] = [{"name": "lunch", "hours": [{"start": "11:00", "end": "14:00"}]}, {"name": "breakfast"}]
    return head | {"items": [item(random) for _ in range(random.randint(1, 2))]}


def upsell(random: Random) -> dict[str, Any]:
    offered = {
        "upsoldItems": [random.choice(NAMES)] if random.random() < 0.6 else None,
        "upsoldItemIds": [random.choice(IDS)],
    }
    kept = {name: value for name, value in offered.items() if value}
    if len(kept) == 2:
        kept.pop("upsoldItemIds")
    message = kept | {"messageConfigs": [{"languageCode": "en", "messageText": "Some?"}]}
    cel = {"suggestedMenuItems": [random.choice(NAMES)], "conditionExpression": random.choice(CONDITIONS)}
    body = random.choice([{"celUpsell": cel}, {"celUpsell": cel}, {"greetingOffer": {"messages": [message]}}])
    return {"displayName": "offer", "priority": 1, **body}


def workspace(random: Random) -> list[dict[str, Any]]:
    """Two brands, of which the second has the config of the first at times, and menus of one, the other or both."""
    name = random.choice([f"{PARENT}/brands/a/channelConfigs/offers", "offers"])
    kind = {"kind": "ChannelConfig", "type": "UPSELL_STRATEGY"}
    config = {**kind, "name": name, "operationsConfig": {"upsellStrategy": {"upsells": [upsell(random)]}}}
    other: list[dict[str, Any]] = []
    if random.random() < 0.3:
        override = {"displayName": "offer", "priority": 1, "celUpsell": {"conditionExpression": "true"}}
        strategy = {"upsellStrategy": {"upsells": [override]}}
        other = [{**kind, "name": f"{PARENT}/brands/a/channelConfigs/other", "operationsConfig": strategy}]
    first, second = {"name": "a1", "timeZone": "America/Chicago"}, {"name": random.choice(["a2", "brands/a/stores/a2"])}
    if other:
        second["defaults"] = ["other"]
    a = {"kind": "Brand", "name": "a", "defaults": [name] if random.random() < 0.7 else [], "stores": [first, second]}
    if not a["defaults"]:
        first["bindings"] = [{"rule": "some", "channelConfig": name}]
    b = {"kind": "Brand", "name": "b", "stores": [{"name": "b1"}]}  # a config belongs to the brand of its name
    return [a, b, config, *other, *(menu(random) for _ in range(random.randint(1, 3)))]


def offers_made(texts: list[str], options: Options) -> Iterator[tuple[str, Any]]:
    """The offers of sessions at each store, at some times and with some dayparts from the client."""
    catalog = brands(*texts)
    for store in catalog.stores:
        config = resolve_active_config(store, catalog, options)
        items = brand_menu(store.brand, catalog, store.store)
        for begin, daypart in product(TIMES, (None, *DAYPARTS)):
            state = {"session": {"daypartId": daypart}} if daypart else {}
            session = Session(config, items, types=lambda path: DEFAULT_SCHEMA, seed=1, begin=begin, state=state)
            turns = [session.welcome(), session.turn([])]
            yield from (
                (f"{store.name} {begin} {daypart}", offer) for turn in turns for offer in turn.offers if offer.items
            )


def check_case(seed: int) -> bool:
    random = Random(seed)
    texts = [yaml.safe_dump(document, allow_unicode=True, sort_keys=False) for document in workspace(random)]
    merge = random.choice(["replace", "append"])
    files = [(f"{number}.yaml", text) for number, text in enumerate(texts)]
    found = judged("unavailable-menu-item", files, {"list-merge": merge})
    if found:
        made = [f"{where}: {offer.items}" for where, offer in offers_made(texts, Options(list_merge=merge))]
        said = [finding.message for finding in found]
        assert not made, "\n---\n".join([f"{seed} {merge} {said} {made[:3]}", *texts])
    return bool(found)


@pytest.mark.generated
def test_what_is_never_sold_is_never_offered() -> None:
    cases = number_of_cases(CASES, share=5)
    assert sum(map(check_case, range(cases))) > cases // 30


@pytest.mark.exhaustive
def test_what_is_never_sold_is_never_offered_in_many_cases() -> None:
    assert sum(map(check_case, range(CASES, CASES + MORE_CASES))) > MORE_CASES // 30
