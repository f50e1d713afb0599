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
MAX_BATCH = 50
BATCHES_PER_JOB = 16
MAX_ROUND = 4000
"""Sessions for which processes are forked at once: what is waiting to be added stays small, and progress is shown."""


class BatchedSearch(Protocol):
    """A search whose sessions can be played in batches."""

    def play_batch(self, numbers: range) -> Any:
        """What is seen in sessions in a row, in a form that a process can send to another."""

    def add_batch(self, batch: Any) -> None:
        """Add what was seen in the sessions that follow."""


def play_sessions(search: BatchedSearch, sessions: int, *, jobs: int) -> Iterator[int]:
    """Play so many sessions with up to `jobs` processes, 0 for all cores; how many were played, again and again."""
    jobs = jobs or available_cores()
    first = sessions if jobs < 2 else min(sessions, FIRST_SESSIONS)
    for number in range(first):
        search.add_batch(search.play_batch(range(number, number + 1)))
        yield number + 1
    while first < sessions:
        end = min(sessions, first + MAX_ROUND)
        yield from _play_round(search, range(first, end), jobs)
        first = end


def _play_round(search: BatchedSearch, numbers: range, jobs: int) -> Iterator[int]:
    """Play the sessions of some numbers in several processes; how many were played, after each batch."""
    size = max(1, min(MAX_BATCH, len(numbers) // (jobs * BATCHES_PER_JOB)))
    results = map_parallel(
        [numbers[start : start + size] for start in range(0, len(numbers), size)],
        lambda batch: (batch, search.play_batch(batch)),
        size=lambda batch: SESSION_COST * len(batch),
        jobs=jobs,
    )
    next_number = numbers.start
    waiting: dict[int, tuple[range, Any]] = {}
    for result in results:
        played, found = (result.task, search.play_batch(result.task)) if isinstance(result, WorkerDied) else result
        waiting[played.start] = played, found
        while next_number in waiting:
            played, found = waiting.pop(next_number)
            search.add_batch(found)
            next_number = played.stop
            yield next_number
