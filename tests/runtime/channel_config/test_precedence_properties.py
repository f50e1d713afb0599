"""What holds of every effective configuration, on drawn ones."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.channel_config.brands import brands
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.active_config import (
    ActiveConfig,
    EffectiveConfig,
    Origin,
    plain_config,
    resolve_active_config,
)
from trialrun.runtime.channel_config.equivalence import differences, group_stores
from trialrun.runtime.channel_config.overlay import ListMerge, MergedTree, overlay
from trialrun.runtime.options import Options

Plain = dict[str, Any]
NAMES, PRIORITIES, FLAGS = st.sampled_from(["A", "B", "C"]), st.integers(1, 3), st.booleans()
TEXTS = st.lists(st.sampled_from(["x", "y", "z"]), max_size=3)
TYPES: Plain = {
    "celUpsell": st.fixed_dictionaries({"conditionExpression": st.just("true"), "suggestedMenuItems": TEXTS}),
    "greetingOffer": st.just({"messages": [{"displayName": "m"}]}),
    "closingOffer": st.just({"closingMessages": [{"skipTerms": ["x"]}]}),
}
UPSELL = st.builds(
    lambda fields, union: fields | union,
    st.fixed_dictionaries({}, optional={"displayName": NAMES, "priority": PRIORITIES, "disabled": FLAGS}),
    st.one_of(st.just({}), *(st.builds(lambda one, name=name: {name: one}, of) for name, of in TYPES.items())),
)
NUMBERED = st.builds(lambda upsell, priority: upsell | {"priority": priority}, UPSELL, PRIORITIES)
GREETINGS = st.lists(
    st.fixed_dictionaries({"languageCode": st.sampled_from(["en", "iw", "he", "fr"]), "greetingPhrases": TEXTS}),
    max_size=3,
    unique_by=lambda one: {"iw": "he"}.get(one["languageCode"], one["languageCode"]),
)
MATCHED_BY_NOTHING: Plain = {
    "defaultLanguageCode": st.sampled_from(["en", ""]),
    "greetings": GREETINGS,
    "featuresConfig": st.fixed_dictionaries({}, optional={"orderPickup": st.just({}), "budgetBasedOrdering": FLAGS}),
}
STRATEGY = st.fixed_dictionaries(
    {}, optional={"maxUpsellOffers": st.integers(0, 2), "upsells": st.lists(UPSELL, max_size=4)}
)


def operations(**further: Any) -> st.SearchStrategy[Plain]:
    fields = st.fixed_dictionaries({}, optional={**MATCHED_BY_NOTHING, **further})
    return st.builds(lambda one: {"operationsConfig": one}, fields)


CONFIGS = operations(upsellStrategy=STRATEGY)
LISTS = st.sampled_from(["replace", "append"])
LEVELS = ("brand-default", "brand-binding", "store-default", "store-binding")


def laid(*values: Plain, lists: ListMerge = "replace") -> Plain:
    tree: MergedTree[int] | None = None
    for by, value in enumerate(values):
        tree = overlay(tree, by, value, lists=lists)
    return tree.value if tree else {}  # type: ignore[return-value]


@given(CONFIGS, LISTS)
def test_nothing_over_a_configuration_changes_nothing(value: Plain, lists: ListMerge) -> None:
    assert laid(value, {}, lists=lists) == value


@given(operations(upsellStrategy=st.fixed_dictionaries({"upsells": st.lists(NUMBERED, max_size=4)})))
def test_a_configuration_over_itself_changes_nothing(value: Plain) -> None:
    assert laid(value, value) == value


@given(CONFIGS, CONFIGS, LISTS)
def test_an_overlay_changes_neither_side(under: Plain, over: Plain, lists: ListMerge) -> None:
    before = deepcopy((under, over))
    laid(under, over, lists=lists)
    assert (under, over) == before


@given(operations(), operations(), operations(), LISTS)
def test_without_upsells_it_makes_no_difference_which_two_are_laid_first(
    one: Plain, two: Plain, three: Plain, lists: ListMerge
) -> None:
    assert laid(one, two, three, lists=lists) == laid(one, laid(two, three, lists=lists), lists=lists)


@given(st.lists(CONFIGS, min_size=2, max_size=4))
def test_it_is_as_the_words_of_the_assumptions_say(values: list[Plain]) -> None:
    expected: Any = {}
    for value in values:
        expected = by_the_words(expected, value)
    assert laid(*values) == expected


def by_the_words(under: Any, over: Any, name: str = "") -> Any:
    """The same as an overlay, written anew from docs/assumptions.md: copies, no sharing, no origins, no index."""
    if isinstance(over, dict):
        union = {"celUpsell", "greetingOffer", "closingOffer"}
        result = {key: value for key, value in under.items() if not (union & {*over}) or key not in union - {*over}}
        return result | {key: by_the_words(result[key], over[key], key) if key in result else over[key] for key in over}
    if name == "upsells":
        return items(under, over, same_name, same_priority)
    if name == "greetings":
        return items(under, over, same_language)
    return over


def items(under: list[Plain], over: list[Plain], *ways: Callable[[Plain, Plain], bool]) -> list[Plain]:
    pairs: dict[int, int] = {}
    for way in ways:
        for place, later in enumerate(over):
            free = [at for at, earlier in enumerate(under) if at not in pairs.values() and way(earlier, later)]
            if place not in pairs and free:
                pairs[place] = free[0]
    result = list(under)
    for place, later in enumerate(over):
        if place in pairs:
            result[pairs[place]] = by_the_words(result[pairs[place]], later)
        else:
            result.append(later)
    return result


def same_name(earlier: Plain, later: Plain) -> bool:
    return "displayName" in later and earlier.get("displayName") == later["displayName"]


def same_priority(earlier: Plain, later: Plain) -> bool:
    named = "displayName" in earlier and "displayName" in later
    return not named and "priority" in later and earlier.get("priority") == later["priority"]


def same_language(earlier: Plain, later: Plain) -> bool:
    one, other = (item["languageCode"].replace("iw", "he") for item in (earlier, later))
    return bool(one == other)


@given(CONFIGS)
def test_the_plain_value_of_a_config_is_what_stands_in_it(value: Plain) -> None:
    assert plain_config(validate({"type": "UPSELL_STRATEGY", **value}, ChannelConfig).node) == without_empty_required(
        value
    )  # type: ignore[arg-type]


def without_empty_required(value: Plain) -> Plain:
    """Without empty lists of suggestedMenuItems, which the specification requires and the model so refuses."""
    return json.loads(json.dumps(value), object_hook=_without_empty)  # type: ignore[no-any-return]


def _without_empty(entries: Plain) -> Plain:
    return {key: value for key, value in entries.items() if key != "suggestedMenuItems" or value}


def at_each_level(values: list[Plain], lists: ListMerge) -> EffectiveConfig:
    """The same as a brand has it: a config for each of the four levels, each in a file of its own."""
    brand = {
        "kind": "Brand",
        "defaults": ["brand-default"],
        "bindings": [{"rule": "r", "channelConfig": "brand-binding"}],
        "stores": [
            {
                "name": "austin",
                "defaults": ["store-default"],
                "bindings": [{"rule": "s", "channelConfig": "store-binding"}],
            }
        ],
    }
    configs = [
        {"kind": "ChannelConfig", "name": level, "type": "UPSELL_STRATEGY", **value}
        for level, value in zip(LEVELS, values, strict=True)
    ]
    files = {f"{level}.yaml": yaml.safe_dump(one) for level, one in zip(LEVELS, configs, strict=True)}
    catalog = brands(**{"brand.yaml": yaml.safe_dump(brand)}, **files)
    found = resolve_active_config(catalog.store("austin"), catalog, Options(list_merge=lists))
    return found.types["UPSELL_STRATEGY"]


FOUR = st.lists(CONFIGS, min_size=4, max_size=4)


@given(FOUR, LISTS)
def test_origins_cover_every_scalar_and_lead_to_its_value_in_its_file(values: list[Plain], lists: ListMerge) -> None:
    found = at_each_level(values, lists)
    origins = found.origins
    assert {pointer for pointer, _ in scalars(found.value)} <= origins.keys()
    for pointer, value in scalars(found.value):
        assert origins[pointer].value == value == found.origin(pointer).value
    for origin in origins.values():
        for overridden in (origin, *origin.overrode):
            assert overridden.level == overridden.path.removesuffix(".yaml")
            assert standing_at(overridden) == overridden.value or (
                isinstance(overridden.value, dict) and overridden.value
            )


@given(FOUR, LISTS)
def test_what_was_overridden_is_of_a_lower_level(values: list[Plain], lists: ListMerge) -> None:
    for origin in at_each_level(values, lists).origins.values():
        levels = [LEVELS.index(overridden.level) for overridden in (origin, *origin.overrode)]
        assert levels == sorted(set(levels), reverse=True)


@given(FOUR, LISTS)
def test_the_model_is_of_the_value_and_knows_the_origins_of_its_parts(values: list[Plain], lists: ListMerge) -> None:
    found = at_each_level(values, lists)
    assert plain_config(found.node) == found.value
    for place, upsell in enumerate(
        (found.value.get("operationsConfig", {}).get("upsellStrategy") or {}).get("upsells", ())
    ):
        strategy = found.node.operationsConfig and found.node.operationsConfig.upsellStrategy
        node = strategy.upsells[place]  # type: ignore[union-attr, index]
        for name in upsell:
            assert found.origin_of(node, name).value == upsell[name]


def scalars(value: Any, pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Every scalar and every empty message of a value."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list) or (value == {} and pointer):
        yield pointer, value
    for step, inner in entries:
        yield from scalars(inner, f"{pointer}/{step}")


def standing_at(origin: Origin) -> Any:
    """What stands in the config at the place of an origin."""
    value: Any = plain_config(origin.config.node)
    for step in origin.place.path:
        value = value[step]
    return value


@given(CONFIGS, CONFIGS)
def test_stores_are_alike_exactly_where_nothing_differs(one: Plain, two: Plain) -> None:
    brand = "{kind: Brand, stores: [{name: austin, defaults: [one]}, {name: boston, defaults: [two]}]}"
    configs = [{"type": "UPSELL_STRATEGY", "name": name, **value} for name, value in (("one", one), ("two", two))]
    catalog = brands(brand, *map(yaml.safe_dump, configs))
    austin, boston = (resolve_active_config(store, catalog) for store in catalog.stores)
    told = list(differences(austin, boston))
    assert (len(group_stores([austin, boston])) == 1) == (told == []) == same(austin, boston)
    assert len(told) == len(list(differences(boston, austin)))
    for one_difference in told:
        assert value_at(austin, one_difference.first_pointer) != value_at(boston, one_difference.second_pointer)


def same(one: ActiveConfig, other: ActiveConfig) -> bool:
    return all(one.types[type].value == other.types[type].value for type in one.types)


def value_at(store: ActiveConfig, pointer: str | None) -> Any:
    return None if pointer is None else store.types["UPSELL_STRATEGY"].origin(pointer).value
