"""When open files are due, and what is read ahead when nothing is."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.analysis.scheduling import PendingDiagnostics, prime_caches
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.catalog_cache import outdated_paths, views

FILE = "/w/view.yaml"
DEBOUNCE = 0.1
Tick = Callable[[float], None]


@pytest.fixture
def tick(monkeypatch: pytest.MonkeyPatch) -> Tick:
    """Moves the clock."""
    times = [1000.0]
    monkeypatch.setattr("time.monotonic", lambda: times[0])

    def advance(seconds: float) -> None:
        times[0] += seconds

    return advance


def type_characters(pending: PendingDiagnostics, tick: Tick, count: int, *, every: float) -> list[bool]:
    """Whether each edit is due at once."""
    due = []
    for version in range(count):
        tick(every)
        pending.schedule_change(FILE, version, debounce=DEBOUNCE)
        due.append(pending.take_due() is not None)
    return due


def test_a_file_that_is_linted_quickly_is_due_at_every_edit(tick: Tick) -> None:
    pending = PendingDiagnostics()
    pending.schedule(FILE, 0)
    pending.note_cost(FILE, 9.0)  # the first time, which does not count
    pending.note_cost(FILE, 0.03)
    assert type_characters(pending, tick, 4, every=0.06) == [True] * 4


def test_a_file_that_takes_long_is_due_after_a_pause(tick: Tick) -> None:
    pending = PendingDiagnostics()
    pending.schedule(FILE, 0)
    pending.note_cost(FILE, 9.0)  # the first time, which does not count
    pending.note_cost(FILE, 0.08)
    assert type_characters(pending, tick, 3, every=0.06) == [True, False, False]
    assert pending.delays == [pytest.approx(DEBOUNCE)]
    tick(DEBOUNCE + 0.001)
    assert pending.take_due() == FILE


def test_one_slow_lint_among_fast_ones_does_not_count(tick: Tick) -> None:
    pending = PendingDiagnostics()
    pending.schedule(FILE, 0)
    pending.note_cost(FILE, 9.0)  # the first time, which does not count
    for seconds in (0.03, 0.5, 0.5):
        pending.note_cost(FILE, seconds)
    assert all(type_characters(pending, tick, 3, every=0.06))
    pending.note_cost(FILE, 0.5)
    assert not any(type_characters(pending, tick, 3, every=0.06))


def test_a_file_that_takes_long_is_linted_after_some_edits_too(tick: Tick) -> None:
    pending = PendingDiagnostics()
    pending.schedule(FILE, 0)
    for seconds in (9.0, 0.5):
        pending.note_cost(FILE, seconds)
    assert type_characters(pending, tick, 11, every=0.06) == [True, *[False, False, False, False, True] * 2]


def test_a_closed_file_leaves_no_costs(tick: Tick) -> None:
    pending = PendingDiagnostics()
    pending.schedule(FILE, 0)
    pending.note_cost(FILE, 9.0)  # the first time, which does not count
    pending.note_cost(FILE, 0.5)
    pending.close(FILE)
    pending.note_cost(FILE, 0.5)
    assert pending.cost(FILE) == 0.0


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
    return list(filter(None, prime_caches(live)))


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
    steps = prime_caches(live)
    while next(steps) != "a.yaml":
        pass
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
