"""When open files are due: at once where linting keeps up with the edits, after a pause where it does not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from trialrun.lsp.analysis.pending_diagnostics import PendingDiagnostics

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
