"""Random sessions in several processes: what is found is the same for any number of them.

Sessions depend on their numbers alone. Batches of them are played in forked processes, and what was seen in each is
added in the order of the numbers, so that the first session that shows something is the same one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from trialrun.cores import available_cores
from trialrun.workspace.worker_pool import WorkerDied, map_parallel

SESSION_COST = 4000
"""What a session takes, in bytes of a file that take as long to check."""
FIRST_SESSIONS = 20
"""Sessions that are played before processes are forked, which then share what was compiled for them."""
BATCHES_PER_JOB = 16
MAX_BATCH = 200


class BatchedSearch(Protocol):
    """A search whose sessions can be played in batches."""

    def play(self, sessions: int) -> Iterator[int]:
        """Play the first sessions; how many were played, after each."""

    def play_batch(self, numbers: range) -> Any:
        """What is seen in sessions in a row, in a form that a process can send to another."""

    def add_batch(self, batch: Any) -> None:
        """Add what was seen in the sessions that follow."""


def play_sessions(search: BatchedSearch, sessions: int, *, jobs: int) -> Iterator[int]:
    """Play so many sessions with up to `jobs` processes, 0 for all cores; how many were played, again and again."""
    jobs = jobs or available_cores()
    first = sessions if jobs < 2 else min(sessions, FIRST_SESSIONS)
    yield from search.play(first)
    size = max(1, min(MAX_BATCH, (sessions - first) // (jobs * BATCHES_PER_JOB)))
    batches = [range(start, min(start + size, sessions)) for start in range(first, sessions, size)]
    results = map_parallel(
        batches,
        lambda numbers: (numbers, search.play_batch(numbers)),
        size=lambda numbers: SESSION_COST * len(numbers),
        jobs=jobs,
    )
    waiting: dict[int, tuple[range, Any]] = {}
    for result in results:
        numbers, batch = (result.task, search.play_batch(result.task)) if isinstance(result, WorkerDied) else result
        waiting[numbers.start] = numbers, batch
        while first in waiting:
            numbers, batch = waiting.pop(first)
            search.add_batch(batch)
            first = numbers.stop
            yield first
