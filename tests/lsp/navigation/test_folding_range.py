"""What folds in a text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import opened
from trialrun.lsp.features.outline import folding_range

TEXT = """\
# one
# two
kind: Menu
items:
  - name: Fries
    id: |
      F

  # alone
  - {name: Cola,
     id: C}
modifierGroups: []
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_values_over_several_lines_and_runs_of_comments(tmp_path: Path) -> None:
    live = opened(tmp_path, menu=TEXT)
    assert [(folding.first, folding.last, folding.kind) for folding in folding_range(live, "menu.yaml")] == [
        (1, 2, "comment"),
        (4, 11, "region"),
        (5, 7, "region"),
        (6, 7, "region"),
        (10, 11, "region"),
    ]


def test_each_document_of_several(tmp_path: Path) -> None:
    live = opened(tmp_path, two="kind: Menu\nname: a\n---\nkind: Menu\nname: b\n")
    assert [(folding.first, folding.last) for folding in folding_range(live, "two.yaml")] == [(1, 2), (4, 5)]


def test_what_stands_at_an_anchor_folds_there_alone(tmp_path: Path) -> None:
    live = opened(tmp_path, two="kind: Brand\ndefaults: &d\n  - a\n  - b\nstores:\n  - {name: s, defaults: *d}\n")
    assert [(folding.first, folding.last) for folding in folding_range(live, "two.yaml")] == [(2, 4), (5, 6)]
