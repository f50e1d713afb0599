"""Configs that meet at stores: ambiguous-binding and shadowed-channel-config, beyond the examples of their pages."""

import json
from typing import Any

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import Files, judged, told

CITY = {"tags": ["city"]}
AUSTIN = {"name": "austin", "tags": ["city"]}


def config(name: str, sets: dict[str, Any] | str, kind: str = "AGENT_CUSTOMIZATION") -> tuple[str, str]:
    value = {"tone": sets} if isinstance(sets, str) else sets
    return f"{name}.yaml", json.dumps({"kind": "ChannelConfig", "name": name, "type": kind, **value})


def bind(name: str, stores: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"rule": f"for {name}", "channelConfig": name, **({"stores": stores} if stores is not None else {})}


def brand(*bindings: dict[str, Any], stores: Any = (AUSTIN,), **further: Any) -> tuple[str, str]:
    lines = (json.dumps(binding) for binding in bindings)
    return "brand.yaml", (
        f"kind: Brand\nname: acme\nbindings:\n{''.join(f'  - {line}{chr(10)}' for line in lines)}"
        f"stores: {json.dumps(list(stores))}\n{''.join(f'{key}: {json.dumps(one)}' for key, one in further.items())}"
    )


def operations(**fields: Any) -> dict[str, Any]:
    return {"operationsConfig": fields}


def fries(priority: int, **fields: Any) -> dict[str, Any]:
    return operations(upsellStrategy={"upsells": [{"displayName": "Fries", "priority": priority, **fields}]})


A, B = config("a", "FRIENDLY"), config("b", "CONCISE_AND_DIRECT")


def ambiguous(*files: tuple[str, str], **options: Any) -> list[str]:
    return told("ambiguous-binding", list(files), {key.replace("_", "-"): one for key, one in options.items()})


def shadowed(*files: tuple[str, str]) -> list[str]:
    return told("shadowed-channel-config", list(files))


def test_the_later_binding_is_reported_with_both_values() -> None:
    assert ambiguous(brand(bind("a"), bind("b", CITY)), A, B) == [
        'brand.yaml:5 "a" and "b" are both bound for "austin", and set tone to "FRIENDLY" and "CONCISE_AND_DIRECT";'
        " the later one wins: set it in one of them, or keep their stores apart"
    ]


@each_of(
    [{"tags": ["coast"]}, {"tags": ["city", "coast"]}, {"names": ["boston"]}, {"names": ["austin"], "tags": ["coast"]}]
)
def test_bindings_that_no_store_has_in_common_never_clash(stores: dict[str, Any]) -> None:
    boston = {"name": "boston", "tags": ["coast"]}
    assert ambiguous(brand(bind("a", CITY), bind("b", stores), stores=[AUSTIN, boston]), A, B) == []


@pytest.mark.parametrize(
    "other",
    [
        config("b", "FRIENDLY"),
        config("b", {"supplementalInstructions": {"freeformInstructions": "Smile."}}),
        config("b", "CONCISE_AND_DIRECT", kind="UPSELL_STRATEGY"),
        config("b", "TONE_UNSPECIFIED"),
        config("b", {"tone": None}),
    ],
    ids=["the same value", "another field", "another type", "a refused value", "null"],
)
def test_what_is_no_clash(other: tuple[str, str]) -> None:
    assert ambiguous(brand(bind("a"), bind("b")), A, other) == []


def test_levels_do_not_clash_with_each_other() -> None:
    austin = {**AUSTIN, "defaults": ["b"], "bindings": [bind("c")]}
    assert ambiguous(brand(bind("a"), stores=[austin], defaults=["b"]), A, B, config("c", "FRIENDLY")) == []


def test_each_store_with_two_such_bindings_of_its_own_is_told() -> None:
    stores = [{"name": name, "bindings": [bind("a"), bind("b")]} for name in ("austin", "boston")]
    assert [line.split(", and")[0] for line in ambiguous(brand(stores=stores), A, B)] == [
        'brand.yaml:4 "a" and "b" are both bound for "austin"',
        'brand.yaml:4 "a" and "b" are both bound for "boston"',
    ]


@pytest.mark.parametrize(
    ("lists", "pointers"),
    [
        ("defaults: [a, 5, b]", ["/defaults/2"]),
        ("defaults: [{}, b]\nstores: [5, {name: boston, defaults: [a, b]}]", ["/stores/1/defaults/1"]),
        ("bindngs: [{rule: r, channelConfig: a}, {rule: s, channelConfig: b}]\nstores: [{name: x}]", ["/bindngs/1"]),
    ],
    ids=["beside a refused default", "of a store beside a refused one", "below a misspelt key"],
)
def test_each_is_told_at_its_own_place(lists: str, pointers: list[str]) -> None:
    found = judged("ambiguous-binding", [("brand.yaml", f"kind: Brand\nname: acme\n{lists}\n"), A, B])
    assert [finding.pointer for finding in found] == pointers


def test_long_texts_are_told_apart_behind_their_beginning() -> None:
    texts = ["Keep it short, people are hungry. " + end for end in ("Smile.", "Do not smile.")]
    configs = [
        config(name, {"supplementalInstructions": {"freeformInstructions": text}})
        for name, text in zip("ab", texts, strict=True)
    ]
    assert len(ambiguous(brand(bind("a"), bind("b")), *configs)) == 1
    assert ambiguous(brand(bind("a"), bind("b")), configs[0], config("b", json.loads(configs[0][1]))) == []


def test_upsells_are_compared_by_name_field_by_field() -> None:
    one, other = config("a", fries(1, skipOnPreviousTurnUpsell=True)), config("b", fries(1, disabled=True))
    assert ambiguous(brand(bind("a"), bind("b")), one, other) == []
    [line] = ambiguous(brand(bind("a"), bind("b")), one, config("b", fries(3, skipOnPreviousTurnUpsell=False)))
    assert "operationsConfig.upsellStrategy.upsells[Fries].priority to 1 and 3 (1 more field)" in line


def test_lists_that_are_appended_do_not_clash() -> None:
    def spoken(phrase: str) -> dict[str, Any]:
        return operations(greetings=[{"languageCode": "en-US", "greetingPhrases": [phrase]}])

    files = (brand(bind("a"), bind("b")), config("a", spoken("Hi")), config("b", spoken("Hello")))
    assert len(ambiguous(*files)) == 1
    assert ambiguous(*files, list_merge="append") == []


def test_a_config_with_a_part_that_counts_somewhere_is_not_shadowed() -> None:
    austin, boston = {**AUSTIN, "bindings": [bind("b")]}, {"name": "boston", "tags": ["city"]}
    assert shadowed(brand(bind("a", CITY), stores=[austin, boston]), A, B) == []
    assert len(shadowed(brand(bind("a", CITY), stores=[austin]), A, B)) == 1
    more = config("a", {"tone": "FRIENDLY", **operations(featuresConfig={"orderPickup": {}})})
    assert shadowed(brand(bind("a", CITY), stores=[austin]), more, B) == []


def test_names_of_strategies_are_no_part_that_counts() -> None:
    austin = {**AUSTIN, "bindings": [bind("b")]}
    named = config("a", {"tone": "FRIENDLY", **operations(displayName="Friendly", description="Like home")})
    assert len(shadowed(brand(bind("a", CITY), stores=[austin]), named, B)) == 1


def test_a_default_alone_is_left_to_the_next_store() -> None:
    assert shadowed(brand(stores=[{**AUSTIN, "bindings": [bind("b")]}], defaults=["a"]), A, B) == []


def test_several_that_overwrite_are_named() -> None:
    both = config("a", {"tone": "FRIENDLY", **operations(defaultLanguageCode="en")})
    austin = {**AUSTIN, "bindings": [bind("b"), bind("c")]}
    files = (brand(bind("a"), stores=[austin]), both, B, config("c", operations(defaultLanguageCode="fr")))
    assert shadowed(*files) == [
        "a.yaml:1 this config has no effect: at the one store where it is bound, "
        '"c" and "b" overwrite all of it; bind it on a later level, or remove it'
    ]


UNREAD: list[Files] = [
    [brand(bind("a"), bind("", CITY), stores=[{**AUSTIN, "bindings": [bind("b")]}]), A, B],
    [brand(bind("a"), stores=[{**AUSTIN, "bindings": [bind("b")]}, 7]), A, B],
    [brand(bind("a"), stores=[{**AUSTIN, "bindings": [bind("b")]}, {"tags": "city"}]), A, B],
    [brand(bind("a"), stores=[]), A, B],
    [brand(bind("a"), stores=[{**AUSTIN, "bindings": [bind("b")]}]), config("a", {"tone": "FRENDLY"}), B],
    [brand(bind("a"), stores=[{**AUSTIN, "bindings": [bind("b")]}]), A, ("other.yaml", A[1]), B],
]


@pytest.mark.parametrize(
    "files", UNREAD, ids=["binding", "store", "tags", "no stores", "value of the config", "two of the name"]
)
def test_nothing_is_called_shadowed_where_something_unread_may_refute_it(files: Files) -> None:
    assert shadowed(*files) == []


def test_many_bindings_for_all_stores_are_told_in_time_that_grows_with_them() -> None:
    bindings = [bind(f"c{number}") for number in range(300)]
    stores = [{"name": f"s{number}", "tags": [f"t{number}"], "defaults": ["b"]} for number in range(300)]
    configs = [config(f"c{number}", operations(defaultLanguageCode="en")) for number in range(299)]
    last = config("c299", operations(defaultLanguageCode="fr"))
    assert len(ambiguous(brand(*bindings, stores=stores), *configs, last, B)) == 1


def test_two_defaults_of_a_type_are_reported_once_for_a_brand_and_for_each_store() -> None:
    stores = [{"name": name, "defaults": ["b", "a"]} for name in ("austin", "boston")]
    assert [line.split(", and")[0] for line in ambiguous(brand(stores=stores, defaults=["a", "b"]), A, B)] == [
        'brand.yaml:4 "b" and "a" are both defaults of "austin"',
        'brand.yaml:4 "b" and "a" are both defaults of "boston"',
        'brand.yaml:5 "a" and "b" are both defaults of "acme"',
    ]
    other = config("b", {"supplementalInstructions": {"freeformInstructions": "Smile."}})
    assert ambiguous(brand(defaults=["a", "b"]), A, other) == [
        'brand.yaml:5 "a" and "b" are both defaults of type AGENT_CUSTOMIZATION; have one default for each type'
    ]


def test_upsells_are_compared_as_what_applies_beneath_has_made_them() -> None:
    house, one = config("house", fries(1)), config("a", operations(upsellStrategy={"upsells": [{"priority": 1}]}))
    muted = config("a", operations(upsellStrategy={"upsells": [{"priority": 1, "disabled": True}]}))
    other = config("b", fries(2, disabled=False))
    [line] = ambiguous(brand(bind("a"), bind("b"), defaults=["house"]), house, muted, other)
    assert "upsells[Fries].priority to 1 and 2 (1 more field)" in line
    assert ambiguous(brand(bind("a"), bind("b")), muted, other) == []
    of_store = brand(stores=[{**AUSTIN, "bindings": [bind("a"), bind("b")]}], defaults=["house"])
    assert "upsells[Fries].priority to 1 and 2" in ambiguous(of_store, house, one, other)[0]


def test_members_of_a_union_clash_at_stores_where_another_level_has_a_part_too() -> None:
    greeting = fries(1, greetingOffer={"messages": [{"displayName": "x"}]})
    files = (config("a", greeting), config("b", fries(1, celUpsell={"priority": 2})))
    [line] = ambiguous(brand(bind("a"), bind("b")), *files)
    assert "upsells[Fries].celUpsell to different values" in line
