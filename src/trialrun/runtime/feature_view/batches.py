"""Batches of rows that take bounded memory, however long the lists of their rows are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from trialrun.runtime.feature_view.column import Column

MAX_ELEMENTS = 2_000_000
"""Elements of the lists of a batch, or characters where lists are texts: an element takes 32 bytes in Python."""
FIRST_ROWS, GROWTH = 100, 4
"""Rows of the first batch where there are lists, and how many times more the next one may have."""
Row = TypeVar("Row", bound=Sequence[Any])


def list_positions(columns: Iterable[Column], start: int) -> list[int]:
    """The positions in a row of the columns that are lists, the first of them at `start`."""
    return [position for position, column in enumerate(columns, start) if column.repeated]


def fetch_batches(fetch: Callable[[int], list[Row]], max_rows: int, lists: Sequence[int] = ()) -> Iterator[list[Row]]:
    """What a cursor fetches, with fewer rows at a time where the lists of the last batch were long."""
    size = min(FIRST_ROWS, max_rows) if lists else max_rows
    while batch := fetch(size):
        if lists:
            elements = max(1, _count_elements(batch, lists))
            size = max(1, min(max_rows, size * GROWTH, MAX_ELEMENTS * len(batch) // elements))
        yield batch


def split_rows(rows: Iterable[Row], max_rows: int, lists: Sequence[int] = ()) -> Iterator[list[Row]]:
    """Rows in batches."""
    if not lists:
        iterator = iter(rows)
        yield from iter(lambda: list(islice(iterator, max_rows)), [])
        return
    batch, elements = list[Row](), 0
    for row in rows:
        batch.append(row)
        elements += _count_elements((row,), lists)
        if len(batch) >= max_rows or elements >= MAX_ELEMENTS:
            yield batch
            batch, elements = [], 0
    if batch:
        yield batch


def _count_elements(rows: Iterable[Sequence[Any]], lists: Sequence[int]) -> int:
    return sum(len(row[position]) for row in rows for position in lists if row[position] is not None)
