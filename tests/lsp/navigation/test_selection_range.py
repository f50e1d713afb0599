"""What a selection grows to."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import at, opened, words
from trialrun.lsp.features.selection_range import MAX_CURSORS, selection_range
from trialrun.workspace.open_workspace import OpenWorkspace

VIEW = """\
kind: FeatureView
name: one
labels: &team {team: "food", cost: c}
---
kind: FeatureView
name: two
labels: *team
warehouseSource:
  uri: bq://a.b.c
  entityIdColumns:
    - guest
    - 'store id'
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _growing(live: OpenWorkspace, where: str) -> list[str]:
    (found,) = selection_range(live, "view.yaml", [at(live, "view.yaml", where)])
    return [words(live, "view.yaml", selection) for selection in found]


def test_from_a_text_to_its_list_its_field_its_message_its_document_and_all(tmp_path: Path) -> None:
    columns = "- guest\n    - 'store id'"
    source = f"uri: bq://a.b.c\n  entityIdColumns:\n    {columns}"
    document = f"kind: FeatureView\nname: two\nlabels: *team\nwarehouseSource:\n  {source}"
    assert _growing(opened(tmp_path, view=VIEW), "'store| id'") == [
        "store id", "'store id'", columns, f"entityIdColumns:\n    {columns}", source, f"warehouseSource:\n  {source}",
        document, VIEW,
    ]  # fmt: skip


def test_from_a_key_to_its_field(tmp_path: Path) -> None:
    grown = _growing(opened(tmp_path, view=VIEW), "te|am: ")
    assert grown[:4] == ["team", 'team: "food"', '{team: "food", cost: c}', 'labels: &team {team: "food", cost: c}']


def test_what_an_alias_repeats_is_no_part_of_its_field(tmp_path: Path) -> None:
    assert _growing(opened(tmp_path, view=VIEW), "lab|els: *team")[0] == "labels"


def test_around_every_place_each_range_lies_within_the_next(tmp_path: Path) -> None:
    live = opened(tmp_path, view=VIEW)
    found = selection_range(live, "view.yaml", range(len(VIEW) + 1)[:MAX_CURSORS])
    assert all(
        outer.start <= inner.start and inner.end <= outer.end
        for selection in found
        for inner, outer in pairwise(selection)
    )
    assert {words(live, "view.yaml", selection[-1]) for selection in found} == {VIEW}


def test_around_more_places_than_anybody_has_there_is_the_text_alone(tmp_path: Path) -> None:
    found = selection_range(opened(tmp_path, view=VIEW), "view.yaml", [8] * (MAX_CURSORS + 2))
    assert [len(selection) for selection in found[-3:]] == [len(found[0]), 1, 1]
