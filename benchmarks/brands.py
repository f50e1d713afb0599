"""Writes a brand with many configs and stores: `python -m benchmarks.brands OUT --configs 1000 --stores 5000 --seed 1`.

Brand defaults, bindings by tags and by names, store defaults and store bindings, each config in a file of its own, and
a menu. `trialrun check` finds no error and no warning in it. The same arguments write the same bytes on every machine.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.configs import cel_upsell, closing_offer, conditions, greeting_offer, greetings, mappings, sentences
from benchmarks.corpus import Written, write
from benchmarks.random_source import Dice
from benchmarks.text_pool import ITEMS, MODIFIER_GROUPS, MODIFIERS, SENTENCES
from benchmarks.views import Resource
from benchmarks.yaml_writer import a_hand, document

PARENT = "projects/bench/locations/us/brands/grill"
LANGUAGES = ["en-US", "es-US", "fr-CA"]
FORMATS = ("drive-thru", "kiosk", "counter", "airport")
FEWEST = 12
SELLS, SPEAKS = "UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"
AT_STORES = {"store-default-sells": 0.3, "store-default-speaks": 0.2, "store-sells": 0.3, "store-speaks": 0.2}
"""The shares of these among the configs that are used by stores alone."""


def brand(configs: int, stores: int, *, seed: int) -> Iterator[Written]:
    """The files of a brand of so many configs and stores; ValueError for fewer than 12 configs, or stores than configs.

    Two bindings of one level never set one field of one store to different values, and every config is effective
    somewhere: what each sort of config sets is in `LIMITS` and `_speaking`.
    """
    if configs < FEWEST or stores < configs:
        raise ValueError(f"a brand has {FEWEST} configs or more, and no fewer stores than configs")
    names = _names(configs)
    hand = a_hand(Dice(f"brand/{seed}"), merge=False)
    for sort, ids in names.items():
        for number, identity in enumerate(ids):
            dice = Dice(f"brand/{seed}/{sort}/{number}")
            yield _file(f"channels/{sort}/{identity}.yaml", _config(dice, sort, identity, number), dice)
    yield Written("brand/brand.yaml", document(_brand(Dice(f"brand/{seed}/stores"), names, stores), hand).encode())
    yield Written("brand/menu.yaml", document(menu(), hand).encode())


def resource_name(identity: str) -> str:
    """The resource name of a config of the brand."""
    return f"{PARENT}/channelConfigs/{identity}"


def store_name(number: int) -> str:
    """The name of a store of the brand; they are numbered from 0."""
    return f"{PARENT}/stores/store-{number:05d}"


def _names(configs: int) -> dict[str, list[str]]:
    """The ids of the configs of each sort."""
    few = max(1, configs // 40)
    counts = {"brand-sells": 1, "brand-speaks": 1, "format": len(FORMATS)}
    counts |= dict.fromkeys(("region-sells", "region-speaks", "pilot-sells", "pilot-speaks"), few)
    left = configs - sum(counts.values())
    shares = {sort: int(left * share) for sort, share in AT_STORES.items()}
    shares["store-sells"] += left - sum(shares.values())
    return {sort: [f"{sort}-{number:04d}" for number in range(count)] for sort, count in {**counts, **shares}.items()}


def _file(path: str, config: Resource, dice: Dice) -> Written:
    return Written(path, document(config, a_hand(dice, merge=False)).encode())


def _config(dice: Dice, sort: str, identity: str, number: int) -> Resource:
    title = identity.replace("-", " ").capitalize()
    config: Resource = {
        "kind": "ChannelConfig",
        "name": resource_name(identity),
        "displayName": title,
        "type": SELLS if sort.endswith("sells") else SPEAKS,
    }
    operations: Resource = {"displayName": title, "description": " ".join(dice.some(SENTENCES, dice.number(1, 3)))}
    if sort.endswith("sells"):
        operations |= _selling(dice, sort, number)
    else:
        config |= _manner(dice, sort)
        operations |= _speaking(dice, sort, number)
    return config | {"operationsConfig": operations}


def _manner(dice: Dice, sort: str) -> Resource:
    """The fields of a config beside its operations: the tone of some, the instructions of others."""
    if sort in ("brand-speaks", "region-speaks", "store-default-speaks"):
        return {"tone": dice.pick(("FRIENDLY", "CONCISE_AND_DIRECT", "PROFESSIONAL_AND_FORMAL"))}
    if sort in ("format", "store-speaks"):
        return {"supplementalInstructions": {"freeformInstructions": sentences(dice, dice.number(3, 9))}}
    return {}


def _speaking(dice: Dice, sort: str, number: int) -> Resource:
    """The operations of a config that says how the agent speaks; sorts that meet at one level share no field."""
    if sort == "format":
        return {"featuresConfig": {"orderPickup": {}, "budgetBasedOrdering": dice.chance(0.5)}}
    if sort in ("pilot-speaks", "store-speaks"):
        mode = {"interactionMode": "ORDER_TAKING"} if sort == "pilot-speaks" else {}
        return mode | {"disambiguationStrategy": {"mappings": mappings(dice, dice.skewed(20, 160, 2.0))}}
    first = LANGUAGES[number % len(LANGUAGES)]
    spoken = [first, *(language for language in LANGUAGES if language != first)]
    operations: Resource = {"defaultLanguageCode": first}
    operations["greetings"] = [greetings(dice, language) for language in spoken]
    if sort == "brand-speaks":
        operations["interactionMode"] = "ORDER_TAKING"
        operations["featuresConfig"] = {"orderPickup": {}, "orderDineIn": {}, "getOrderPrices": {}}
        operations["disambiguationStrategy"] = {"mappings": mappings(dice, 300)}
    return operations


LIMITS = {
    "brand-sells": ("maxUpsellOffers", "maxUpsellDeclines", "maxItemsInCart"),
    "region-sells": ("maxItemsInCart",),
    "pilot-sells": ("maxUpsellDeclines",),
    "store-default-sells": ("maxUpsellOffers",),
    "store-sells": (),
}
"""Which limits a sort of config sets; sorts that meet at one level share none."""


def _selling(dice: Dice, sort: str, number: int) -> Resource:
    strategy: Resource = {field: dice.number(2, 9) for field in LIMITS[sort]}
    count = 30 if sort == "brand-sells" else dice.skewed(2, 14, 1.6)
    spare = conditions()[40 * list(LIMITS).index(sort) :]
    upsells = [cel_upsell(dice, condition) for condition in dice.some(spare, count)]
    if sort == "brand-sells":  # of two levels one might never have its turn
        upsells += [greeting_offer(dice, LANGUAGES), closing_offer(dice, LANGUAGES)]
    for place, upsell in enumerate(upsells, start=1):
        upsell["displayName"] = f"Suggestion {place} of {sort} {number}"
        upsell["priority"] = 1000 * list(LIMITS).index(sort) + 10 * place
    if sort == "store-sells":
        upsells.append(_override(dice))
    return {"upsellStrategy": strategy | {"upsells": upsells}}


def _override(dice: Dice) -> Resource:
    """Another form of an upsell that the brand's default has, under its display name."""
    place = dice.number(1, 30)
    upsell = cel_upsell(dice, conditions()[place])
    upsell["displayName"] = f"Suggestion {place} of brand-sells 0"
    upsell["priority"] = 10 * place
    return upsell | ({"disabled": True} if dice.chance(0.3) else {})


def _brand(dice: Dice, names: dict[str, list[str]], stores: int) -> Resource:
    regions = [f"region-{number:02d}" for number in range(2 * len(names["region-sells"]))]
    spread = dice.shuffled(range(stores))
    used = _used_by_stores(names, spread)
    return {
        "kind": "Brand",
        "name": PARENT,
        "displayName": "Grill",
        "defaults": [resource_name(names[sort][0]) for sort in ("brand-sells", "brand-speaks")],
        "bindings": list(_bindings(names, regions, dice.shuffled(range(stores)))),
        "stores": [_store(dice, number, regions, used.get(number, {})) for number in range(stores)],
    }


def _bindings(names: dict[str, list[str]], regions: Sequence[str], spread: list[int]) -> Iterator[Resource]:
    for identity, region in zip(names["region-sells"] + names["region-speaks"], regions, strict=True):
        yield _binding(identity, {"tags": ["us", region]})
    for identity, tag in zip(names["format"], FORMATS, strict=True):
        yield _binding(identity, {"tags": [tag]})
    for sort in ("pilot-sells", "pilot-speaks"):  # no store is in two pilots that sell, or in two that speak
        for number, identity in enumerate(names[sort]):
            piloted = spread[number :: len(names[sort])][: 1 + number % 4]
            yield _binding(identity, {"names": [store_name(store) for store in piloted]})


def _binding(identity: str, selector: Resource | None = None) -> Resource:
    return {"rule": f"rule-{identity}", "channelConfig": resource_name(identity)} | (
        {"stores": selector} if selector else {}
    )


def _used_by_stores(names: dict[str, list[str]], spread: list[int]) -> dict[int, dict[str, str]]:
    """What stores use beside the brand, at most one config of a sort: every such config somewhere, some of them twice.

    Each sort begins elsewhere among the stores, so that some stores have several and most have none.
    """
    found: dict[int, dict[str, str]] = {}
    for place, sort in enumerate(AT_STORES):
        count = len(names[sort])
        begin = place * len(spread) // 7
        stores = [*spread[begin:], *spread[:begin]][: min(len(spread), count + count // 2)]
        for number, store in enumerate(stores):
            found.setdefault(store, {})[sort] = names[sort][number % count]
    return found


def _store(dice: Dice, number: int, regions: Sequence[str], used: dict[str, str]) -> Resource:
    store: Resource = {
        "name": store_name(number),
        "displayName": f"Store {number}",
        "tags": ["us", regions[number % len(regions)], dice.pick(FORMATS)],
        "timeZone": "America/Chicago",
    }
    defaults = [resource_name(identity) for sort, identity in used.items() if "default" in sort]
    bindings = [_binding(identity) for sort, identity in used.items() if "default" not in sort]
    return store | ({"defaults": defaults} if defaults else {}) | ({"bindings": bindings} if bindings else {})


def menu() -> Resource:
    modifiers = [{"name": name} for name in MODIFIERS]
    return {
        "kind": "Menu",
        "brand": PARENT,
        "items": [
            {"name": item, "id": f"I-{place + 100}", "price": 2.5 + place % 9, "modifierGroups": list(MODIFIER_GROUPS)}
            for place, item in enumerate(ITEMS)
        ],
        "modifierGroups": [{"name": group, "modifiers": modifiers} for group in MODIFIER_GROUPS],
    }


def main() -> None:
    """Write a brand as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="folder to write to; it is made when it is not there")
    parser.add_argument("--configs", type=int, default=1000, help="how many configs (default 1000)")
    parser.add_argument("--stores", type=int, default=5000, help="how many stores (default 5000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another brand (default 1)")
    options = parser.parse_args()
    written = write(options.out, brand(options.configs, options.stores, seed=options.seed))
    print(f"{len(written)} files in {options.out}")


if __name__ == "__main__":
    main()
