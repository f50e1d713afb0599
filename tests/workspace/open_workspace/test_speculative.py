"""Other texts tried in an open workspace, held against two checks of the whole."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import number_of_cases
from tests.lsp.navigation.open_workspace import opened
from tests.lsp.navigation.test_text_references import CITY
from trialrun.diagnostic import Diagnostic
from trialrun.workspace import check
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.speculative import new_findings, with_texts

WORDS = ["Shake", "lunch", "pier", "Sauce", "Kid's Fries", "F-1", "orders", "spend", "guest", "Sauces", "rank", "north"]
TRIES = number_of_cases(60, 4)


def _new(before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> list[Diagnostic]:
    places = {(diagnostic.rule, diagnostic.path, diagnostic.document, diagnostic.pointer) for diagnostic in before}
    return [
        diagnostic
        for diagnostic in after
        if (diagnostic.rule, diagnostic.path, diagnostic.document, diagnostic.pointer) not in places
    ]


@pytest.fixture
def city(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    live = opened(tmp_path, **CITY)
    live.run_all_tasks()
    return live


@pytest.mark.generated
def test_says_what_two_checks_say(city: OpenWorkspace) -> None:
    chance = random.Random(3)
    before = check(city.request).diagnostics
    told = 0
    for _ in range(TRIES):
        name, word = chance.choice([one for one in CITY if one != "schema"]), chance.choice(WORDS)
        text = CITY[name].replace(word, chance.choice([*WORDS, "other"]), chance.choice([1, -1]))
        texts = {os.path.abspath(f"{name}.yaml"): text.encode()}
        wanted = _new(before, check(replace(city.request, overlay=texts)).diagnostics)
        found = new_findings(city, texts, _new)
        assert (found is None) == (wanted == []), (name, word, found, wanted)
        assert found is None or (found.rule, found.path, found.range) in [(a.rule, a.path, a.range) for a in wanted]
        told += found is not None
    assert TRIES / 12 < told < TRIES - TRIES / 12


def test_the_workspace_stays_as_it_is(city: OpenWorkspace) -> None:
    before = city.all_diagnostics(), [reading.data for reading in city.workspace_files()], city.revision
    texts = {os.path.abspath("menu.yaml"): CITY["menu"].replace("Kid's Fries", "Chips").encode()}
    after = with_texts(city, texts)
    after.run_all_tasks()
    assert after.all_diagnostics() != before[0]
    assert (city.all_diagnostics(), [reading.data for reading in city.workspace_files()], city.revision) == before
    assert not city.has_tasks


def test_files_that_were_not_linted_have_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    live = opened(tmp_path, **CITY)
    texts = {os.path.abspath("menu.yaml"): CITY["menu"].replace("Kid's Fries", "Chips").encode()}
    assert new_findings(live, texts, _new) is None
    live.run_all_tasks()
    found = new_findings(live, texts, _new)
    assert found is not None
    assert (found.rule, found.path) == ("unknown-menu-item", "lunch.yaml")


def test_other_types_of_the_session_take_nothing_from_the_workspace(city: OpenWorkspace) -> None:
    sessions = city.linter.sessions
    with_texts(city, {os.path.abspath("schema.yaml"): CITY["schema"].replace("rank", "place").encode()}).run_all_tasks()
    assert city.linter.sessions is sessions
