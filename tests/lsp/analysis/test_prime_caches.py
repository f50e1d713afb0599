"""What is read ahead is not read again when it is asked for, and follows the texts."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.analysis.prime_caches import Warming
from trialrun.workspace import Request
from trialrun.workspace.open_workspace import Live
from trialrun.workspace.open_workspace.catalog_cache import behind, views

NAMES = ("a.yaml", "b.yaml")


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Live:
    monkeypatch.chdir(tmp_path)
    for name in NAMES:
        (tmp_path / name).write_text(f"kind: FeatureView\nname: {name[0]}\n")
    live = Live(Request(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False))
    live.finish()
    return live


def warmed(live: Live) -> list[str]:
    """The files that are read ahead, one by one."""
    warming, read = Warming(live), dict[str, None]()
    while warming.is_waiting:
        read |= {warming.next_path: None} if warming.next_path else {}
        warming.step()
    return list(read)


def names(live: Live) -> list[str | None]:
    return [one.node.name for one in views(live).views]


def test_every_text_is_read_ahead_once(live: Live) -> None:
    assert warmed(live) == list(NAMES)
    assert warmed(live) == []


def test_a_catalog_has_what_was_read_ahead(live: Live) -> None:
    warmed(live)
    assert names(live) == ["a", "b"]


def test_a_text_that_changes_is_read_ahead_again_and_no_other(live: Live, tmp_path: Path) -> None:
    warmed(live)
    live.put(str(tmp_path / "b.yaml"), b"kind: FeatureView\nname: c\n")
    assert warmed(live) == ["b.yaml"]
    assert names(live) == ["a", "c"]


def test_a_text_that_changes_after_it_was_read_ahead_counts(live: Live, tmp_path: Path) -> None:
    warming = Warming(live)
    while warming.next_path != "b.yaml":
        warming.step()
    live.put(str(tmp_path / "a.yaml"), b"kind: FeatureView\nname: c\n")
    assert names(live) == ["c", "b"]


def test_other_settings_keep_what_was_read_of_the_same_texts(live: Live, tmp_path: Path) -> None:
    warmed(live)
    (tmp_path / "b.yaml").write_text("kind: FeatureView\nname: changed\n")
    other = live.over(live.request)
    assert behind(other) == {"b.yaml"}
    assert names(other) == ["a", "changed"]


def test_a_workspace_that_is_over_is_let_go_of(live: Live) -> None:
    import gc
    from weakref import ref

    warmed(live)
    kept = [ref(live.over(live.request)) for _ in range(3)]
    gc.collect()
    assert [one() for one in kept] == [None, None, None]
