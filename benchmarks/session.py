"""What a turn of a session costs: `python -m benchmarks.session`.

A strategy of 50 upsells, 20 of them CEL with conditions of the corpus, and an order of 30 items, half of them with
modifiers. A turn changes the quantity of one item; every one is played from the same place, on a fork. Beside it, in
turns: the same conditions by the engine alone over the same state as plain dicts, one call each. `first` orders all 30
items in one turn; `parts` is a turn with the value of every part of every condition. `welcome` begins a session and
greets. In process, CPU of one thread.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import cycle
from statistics import median
from typing import Any

from benchmarks.conditions import conditions
from benchmarks.configs import cel_upsell, closing_offer, greeting_offer
from benchmarks.random_source import Dice
from benchmarks.text_pool import ITEMS, MODIFIER_GROUPS, MODIFIERS
from trialrun.diagnostic import Position, Range, SymbolicLocation
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Menu
from trialrun.model.node import Node
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.channel_config.menu import BrandMenu, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.session.actions import Action, Add, SetQuantity
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.declaration import DeclaredResource
from trialrun.values.cel import compile

BRAND = "projects/bench/locations/us/brands/grill"
BEGIN = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
LANGUAGES = ["en-US", "es-US"]
MUST = 2.0
HEAD = "| what | ms of CPU, median | p99 | least | must |"


def upsells(count: int, with_conditions: int, dice: Dice) -> Iterator[dict[str, Any]]:
    """Upsells of which some have conditions and the others offer at the welcome and at the end, by turns."""
    offers = cycle([greeting_offer, closing_offer])
    for number in range(count):
        is_rule = number < with_conditions
        made = cel_upsell(dice, conditions()[number]) if is_rule else next(offers)(dice, LANGUAGES)
        yield {**made, "displayName": f"Upsell {number}", "priority": number + 1, "disabled": False}


def catalog(count: int, with_conditions: int, seed: int) -> BrandCatalog:
    """A brand of one store, one strategy and a menu."""
    name = f"{BRAND}/channelConfigs/everything"
    strategy = {"maxUpsellOffers": 5, "upsells": list(upsells(count, with_conditions, Dice(f"session/{seed}")))}
    operations = {"upsellStrategy": strategy, "defaultLanguageCode": "en-US"}
    config = {"name": name, "type": "UPSELL_STRATEGY", "operationsConfig": operations}
    brand = {"name": BRAND, "defaults": [name], "stores": [{"name": "store"}]}
    groups = [{"name": group, "modifiers": [{"name": each} for each in MODIFIERS]} for group in MODIFIER_GROUPS]
    items = [
        {"name": name, "id": f"I-{at}", "price": 1.99 + at, "modifierGroups": list(MODIFIER_GROUPS[:2])}
        for at, name in enumerate(ITEMS)
    ]
    menu = {"brand": BRAND, "items": items, "modifierGroups": groups}
    return BrandCatalog([declared(brand, Brand)], [declared(config, ChannelConfig)], [declared(menu, Menu)])


def declared(value: dict[str, Any], model: type[Node]) -> DeclaredResource[Any]:
    """A document that stands in no file."""
    return DeclaredResource(validate(value, model).node, "session.yaml", "/", 0, _nowhere)


def _nowhere(place: SymbolicLocation) -> Range:
    return Range(Position(1, 1), Position(1, 1))


def order(menu: BrandMenu, items: int) -> list[Add]:
    """The moves that order items, every other one with two modifiers."""
    return [
        Add(OrderLineItem(item, 1 + at % 2, item.modifiers[:2] if at % 2 else ()))
        for at, item in enumerate(menu.items[:items])
    ]


class Setting:
    """A store, its menu, and a session there with the whole order."""

    def __init__(self, known: BrandCatalog, items: int) -> None:
        store = known.stores[0]
        self.active_config: ActiveConfig = resolve_active_config(store, known)
        self.menu = brand_menu(store.brand, known)
        self.types = known.schema_for
        self.order = order(self.menu, items)
        self.begun = self.begin(0)
        self.session = self.begun.fork()
        self.session.turn(self.order)
        strategy = self.active_config.upsell_strategy
        rules = [upsell.celUpsell for upsell in (strategy and strategy.upsells) or () if upsell.celUpsell]
        self.programs = [compile(rule.conditionExpression or "") for rule in rules]

    def begin(self, seed: int) -> Session:
        """A session that was greeted."""
        session = Session(self.active_config, self.menu, types=self.types, seed=seed, begin=BEGIN)
        session.welcome()
        return session

    def turn(self, actions: Sequence[Action]) -> None:
        """A turn."""
        self.session.fork().turn(actions)

    def parts(self, actions: Sequence[Action]) -> None:
        """A turn, and all that its conditions are made of."""
        for condition in self.session.fork().turn(actions).conditions:
            assert condition.error or condition.parts

    def alone(self, state: dict[str, Any]) -> None:
        """The conditions by the engine alone."""
        for program in self.programs:
            program.evaluate(state)


def seconds(work: Callable[[], object]) -> float:
    """Of CPU."""
    start = time.process_time()
    work()
    return time.process_time() - start


def measured(setting: Setting, turns: int) -> Iterator[dict[str, float]]:
    """The seconds of each thing, all of them once in every round."""
    names = [action.line_item.item.name for action in setting.order]
    state = setting.session.state
    for number in range(turns):
        actions = [SetQuantity(names[number % len(names)], 2 + number % 3)]
        yield {
            "welcome": seconds(lambda number=number: setting.begin(number)),  # type: ignore[misc]
            "first": seconds(lambda: setting.begun.fork().turn(setting.order)),
            "turn": seconds(lambda actions=actions: setting.turn(actions)),  # type: ignore[misc]
            "turn with parts": seconds(lambda actions=actions: setting.parts(actions)),  # type: ignore[misc]
            "the conditions alone": seconds(lambda: setting.alone(state)),
        }


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.session", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--upsells", type=int, default=50, help="how many upsells (default 50)")
    parser.add_argument("--conditions", type=int, default=20, help="how many of them have a condition (default 20)")
    parser.add_argument("--items", type=int, default=30, help="how many lines the order has (default 30)")
    parser.add_argument("--turns", type=int, default=500, help="how many rounds (default 500)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other upsells (default 1)")
    options = parser.parse_args()
    setting = Setting(catalog(options.upsells, options.conditions, options.seed), options.items)
    rounds = list(measured(setting, options.turns))
    print(HEAD, "|---" * 5 + "|", sep="\n")
    for name in rounds[0]:
        taken = sorted(1000 * round_[name] for round_ in rounds)
        figures = f"{median(taken):.3f} | {taken[len(taken) * 99 // 100]:.3f} | {taken[0]:.3f}"
        print(f"| {name} | {figures} | {MUST if name == 'turn' else ''} |")


if __name__ == "__main__":
    main()
