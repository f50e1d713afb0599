"""Names of the example workspaces: asked for where they stand, changed there and back, and in broken texts."""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from unicodedata import normalize

import pytest

from tests.cases import first_of, number_of_cases
from tests.lsp.navigation.open_workspace import edited, live, text
from trialrun.lsp.features.navigation import goto_definition, references
from trialrun.lsp.features.outline import document_symbols, folding_range
from trialrun.lsp.features.rename import prepare_rename, rename
from trialrun.lsp.results import CannotRename, Object
from trialrun.lsp.symbols.index import declarations, find_references, occurrences, range_of
from trialrun.lsp.symbols.occurrence import Occurrence
from trialrun.workspace.open_workspace import OpenWorkspace

WORKSPACES = Path(__file__).parents[3] / "fixtures" / "workspaces"
NEW = {"source": "bq://a.b.other9", "config": "other9", "store": "other9", "binding": "other9"}
SIGNS = [
    *("", "\n", "  ", "'", '"', "[", "{", "}", ":", "- ", "&a ", "*a", "|", "\t", "#", "🍟", "\r\n"),
    *("!!str ", "<<: "),
]


@pytest.fixture(params=first_of(["noodle-bars", "burger-brand"]))
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(WORKSPACES / request.param)
    found = live(WORKSPACES / request.param)
    found.run_all_tasks()
    return found


def _each(live: OpenWorkspace) -> Iterator[Occurrence]:
    """The names of a workspace, of those that are alike the first."""
    known: dict[tuple[object, ...], Occurrence] = {}
    for reading in live.workspace_files():
        for occurrence in occurrences(live, reading):
            known.setdefault((occurrence.kind, occurrence.text, occurrence.scope, occurrence.within), occurrence)
    yield from known.values()


def _start(live: OpenWorkspace, one: Occurrence) -> int:
    place = range_of(live, one)
    reading = live.workspace_file(one.path)
    assert place is not None and reading is not None
    return reading.source.offset(place.end)


def test_what_refers_to_a_thing_leads_to_it(example: OpenWorkspace) -> None:
    wrong = [
        (position.kind, position.text, reference.path, reference.steps)
        for position in _each(example)
        if (things := {each.thing for each in declarations(example, position)})
        for reference in find_references(example, position)
        if not things & {each.thing for each in declarations(example, reference)}
    ]
    assert wrong == []


def test_a_name_is_found_at_every_one_of_its_places(example: OpenWorkspace) -> None:
    wrong = []
    for position in _each(example):
        place = range_of(example, position)
        found = [
            one["range"]
            for one in references(example, position.path, _start(example, position))
            if one["uri"] == position.path
        ]
        if place not in found and position.chars != (0, len(position.text)):
            wrong.append((position.kind, position.text, position.path, position.steps))
    assert wrong == []


def test_another_name_and_the_old_one_again_leave_the_same_bytes(example: OpenWorkspace) -> None:
    """Of each sort of names some, as each costs a tenth of a second."""
    wrong: list[tuple[str, str]] = []
    told: dict[str, int] = {}
    for position in _each(example):
        if told.setdefault(position.kind, 0) < 2:
            made = _renamed(example, position, NEW.get(position.kind, "other9"))
            told[position.kind] += bool(made)
            before = {path: text(example, path) for path in made}
            if made and _composed(_renamed_back(example, position, made)) != _composed(before):
                wrong.append((position.kind, position.text))
    assert wrong == []
    assert told["item"] and told["config"]


def _composed(texts: dict[str, str]) -> dict[str, str]:
    """Texts without the difference between composed and decomposed characters, in which a name may be written twice."""
    return {path: normalize("NFC", text) for path, text in texts.items()}


def _renamed(live: OpenWorkspace, one: Occurrence, name: str) -> dict[str, str]:
    try:
        found = rename(live, one.path, _start(live, one), name)
    except CannotRename:
        return {}
    return {path: edited(live, path, edits) for path, edits in found.items()}


def _renamed_back(live: OpenWorkspace, one: Occurrence, made: dict[str, str]) -> dict[str, str]:
    reading = live.workspace_file(one.path)
    assert reading is not None
    at = occurrences(live, reading).index(one)
    for path, changed in made.items():
        live.set_overlay(os.path.abspath(path), changed.encode())
    now = live.workspace_file(one.path)
    assert now is not None
    is_resource = one.kind in ("config", "store", "binding")
    old = one.text.rpartition("/")[2] if is_resource else one.text
    back = _renamed(live, occurrences(live, now)[at], old)
    for path in made:
        live.remove_overlay(os.path.abspath(path))
    return back


@pytest.mark.generated
def test_texts_that_somebody_broke_are_answered(example: OpenWorkspace) -> None:
    chance = random.Random(6)
    paths = [reading.path for reading in example.workspace_files()]
    for _ in range(number_of_cases(60)):
        path = chance.choice(paths)
        broken = _broken(text(example, path), chance)
        example.set_overlay(os.path.abspath(path), broken.encode("utf-8", "surrogatepass"))
        _sound(example, path)
        for _ in range(5):
            offset = chance.randrange(len(broken) + 2)
            goto_definition(example, path, offset)
            references(example, path, offset)
            try:
                prepare_rename(example, path, offset)
            except CannotRename as refused:
                assert str(refused)
        example.remove_overlay(os.path.abspath(path))


def _broken(text: str, chance: random.Random) -> str:
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        text = text[:start] + chance.choice(SIGNS) + text[start + chance.choice([0, 0, 1, 2, 5, 40]) :]
    return text


def _sound(live: OpenWorkspace, path: str) -> None:
    """What is told of the whole text holds together."""
    folding_range(live, path)
    waiting: list[Object] = [*document_symbols(live, path)]
    while waiting:
        one = waiting.pop()
        for inner in (one["selectionRange"], *(part["range"] for part in one["children"])):
            assert one["range"].start <= inner.start <= inner.end <= one["range"].end
        waiting += one["children"]
