"""What is read ahead is not read again when it is asked for, and follows the texts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.analysis.prime_caches import CachePrimer
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.catalog_cache import outdated_paths, views

NAMES = ("a.yaml", "b.yaml")


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        (tmp_path / name).write_text(f"kind: FeatureView\nname: {name[0]}\n")
    live = OpenWorkspace(
        CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False)
    )
    live.run_all_tasks()
    return live


def warmed(live: OpenWorkspace) -> list[str]:
    """The files that are read ahead, one by one."""
    warming, read = CachePrimer(live), dict[str, None]()
    while warming.is_waiting:
        read |= {warming.next_path: None} if warming.next_path else {}
        warming.step()
    return list(read)


def names(live: OpenWorkspace) -> list[str | None]:
    return [view.node.name for view in views(live).views]


def test_every_text_is_read_ahead_once(live: OpenWorkspace) -> None:
    assert warmed(live) == list(NAMES)
    assert warmed(live) == []


def test_a_catalog_has_what_was_read_ahead(live: OpenWorkspace) -> None:
    warmed(live)
    assert names(live) == ["a", "b"]


def test_a_text_that_changes_is_read_ahead_again_and_no_other(live: OpenWorkspace, tmp_path: Path) -> None:
    warmed(live)
    live.set_overlay(str(tmp_path / "b.yaml"), b"kind: FeatureView\nname: c\n")
    assert warmed(live) == ["b.yaml"]
    assert names(live) == ["a", "c"]


def test_a_text_that_changes_after_it_was_read_ahead_counts(live: OpenWorkspace, tmp_path: Path) -> None:
    warming = CachePrimer(live)
    while warming.next_path != "b.yaml":
        warming.step()
    live.set_overlay(str(tmp_path / "a.yaml"), b"kind: FeatureView\nname: c\n")
    assert names(live) == ["c", "b"]


def test_other_settings_keep_what_was_read_of_the_same_texts(live: OpenWorkspace, tmp_path: Path) -> None:
    warmed(live)
    (tmp_path / "b.yaml").write_text("kind: FeatureView\nname: changed\n")
    other = live.with_request(live.request)
    assert outdated_paths(other) == {"b.yaml"}
    assert names(other) == ["a", "changed"]


def test_a_workspace_that_is_over_is_let_go_of(live: OpenWorkspace) -> None:
    import gc
    from weakref import ref

    warmed(live)
    kept = [ref(live.with_request(live.request)) for _ in range(3)]
    gc.collect()
    assert [one() for one in kept] == [None, None, None]
