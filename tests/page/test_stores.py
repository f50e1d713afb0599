"""The section of stores has what `resolve` prints of each, value by value, with the same origins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.example_workspace import told
from tests.page.conftest import ExamplePage, copied_stores, write_page
from tests.page.test_report_command import FEW_SESSIONS, sections
from tests.program import Run

STORES = ("austin-lamar", "chicago-wicker-park", "montreal-plateau", "toronto-queen-west")


def leaves(stores: dict[str, Any], number: int, pointer: str = "") -> Iterator[tuple[str, Any, Any, list[Any]]]:
    """Pointer, value, setter with line, and what it overrode, of everything that a node says."""
    kind, *rest = stores["nodes"][number]
    if kind == "v":
        setter, name, value, distances, *over = rest
        lines = iter(distances)
        yield from value_leaves(stores, value, name, (pointer, setter, lines, [0]), over)
        return
    children, *over = rest
    if over:
        yield pointer, None, None, over
    entries = enumerate(children) if kind == "l" else children.items()
    for step, child in entries:
        yield from leaves(stores, child, f"{pointer}/{str(step).replace('~', '~0').replace('/', '~1')}")


def value_leaves(stores: dict[str, Any], value: Any, name: str, place: Any, over: list[Any]) -> Iterator[Any]:
    pointer, setter, lines, at = place
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from value_leaves(stores, inner, key, (f"{pointer}/{key}", setter, lines, at), [])
    elif isinstance(value, list) and value and name in stores["merged_lists"]:
        for index, inner in enumerate(value):
            yield from value_leaves(stores, inner, "", (f"{pointer}/{index}", setter, lines, at), [])
    else:
        at[0] += next(lines)
        yield pointer, value, {**stores["setters"][setter], "line": at[0]}, over


def is_inside(pointer: str, lists: set[str]) -> bool:
    """Whether it is part of a list that is set as a whole."""
    return any(pointer.startswith(f"{each}/") for each in lists)


def last(name: str) -> str:
    return name.rpartition("/")[2]


@pytest.mark.parametrize("store", STORES)
def test_every_value_and_its_origin_is_that_of_resolve(
    run: Run, example: Path, example_page: ExamplePage, store: str
) -> None:
    stores = sections(example_page(*FEW_SESSIONS))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == store)
    resolved = told(run, "resolve", store, cwd=example)["types"]
    for kind, root in stores["groups"][number]["roots"].items():
        found = {pointer: (setter, over) for pointer, _, setter, over in leaves(stores, root) if setter}
        wanted = resolved[kind]["origins"]
        pointers = {pointer for pointer, *_ in leaves(stores, root)}
        assert pointers <= wanted.keys()
        assert [pointer for pointer in wanted.keys() - pointers if not is_inside(pointer, pointers)] == []
        for pointer, (setter, over) in found.items():
            origin = wanted[pointer]
            assert setter == {
                **{key: origin[key] for key in ("level", "rule", "path", "line") if key in origin},
                "config": last(origin["config"]),
            }
            values = [json.dumps(value) for _, value, _ in over]
            assert values == [json.dumps(each["value"]) for each in origin["overrode"]]


def test_stores_that_share_everything_are_one_group(tmp_path: Path) -> None:
    workspace = copied_stores(tmp_path)
    brand = workspace / "brand" / "brand.yaml"
    text = brand.read_text()
    name = "projects/smashwell-prod/locations/us-central1/brands/smashwell/stores/"
    twins = f"\nstores:\n  - {{name: {name}twin-a, tags: [us]}}\n  - {{name: {name}twin-b, tags: [us]}}\n"
    brand.write_text(text.replace("\nstores:\n", twins, 1))
    stores = sections(write_page(workspace, "--sessions", "0"))["stores"]
    groups = {entry["id"]: entry["group"] for entry in stores["stores"]}
    assert groups["twin-a"] == groups["twin-b"]
    assert len(stores["groups"][groups["twin-a"]]["stores"]) == 2


def test_only_chosen_stores_are_shown(stores_page: ExamplePage) -> None:
    data = sections(stores_page("--sessions", "0", "--stores", "austin-lamar,miami-calle-ocho"))
    assert [entry["id"] for entry in data["stores"]["stores"]] == ["austin-lamar", "miami-calle-ocho"]
    assert any("--stores" in note for note in data["overview"]["notes"])


def test_what_is_said_in_each_language_is_that_of_languages(run: Run, example: Path, example_page: ExamplePage) -> None:
    stores = sections(example_page(*FEW_SESSIONS))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == "chicago-wicker-park")
    (table,) = told(run, "languages", "chicago-wicker-park", cwd=example)["groups"]
    assert stores["spoken"][number]["languages"] == table["languages"]
    assert stores["spoken"][number]["instructions"]


def test_clashes_name_fields_and_upsells(example_page: ExamplePage) -> None:
    stores = sections(example_page(*FEW_SESSIONS))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == "chicago-wicker-park")
    (first, *_) = stores["groups"][number]["clashes"]
    assert (first["kind"], first["upsells"]) == ("priority", ["Fries with burgers", "Welcome, gold members"])


def test_a_clash_of_two_bindings_names_its_field(tmp_path: Path) -> None:
    workspace = copied_stores(tmp_path)
    brand = workspace / "brand" / "brand.yaml"
    brand.write_text(brand.read_text().replace("tags: [us, texas, drive-thru]", "tags: [us, texas, drive-thru, kiosk]"))
    stores = sections(write_page(workspace, "--sessions", "0"))["stores"]
    number = next(entry["group"] for entry in stores["stores"] if entry["id"] == "austin-lamar")
    fields = {clash["field"]: clash for clash in stores["groups"][number]["clashes"] if clash["kind"] == "level"}
    assert fields["operationsConfig.upsellStrategy.maxItemsInCart"]["winner"][1] == 20
