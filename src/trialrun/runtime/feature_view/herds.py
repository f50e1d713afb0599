"""Herds: views of one online store that are synced in the same minutes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from trialrun.record import dataclass
from trialrun.values.resource_name import last_id

Runs = tuple[str, Sequence[datetime]]
"""The resource name of a view, and when it is synced in the time that is looked at."""


@dataclass(frozen=True)
class Herd:
    """The names of views of a store that are synced together, and the minutes at which they are, in UTC."""

    store: str
    views: tuple[str, ...]
    minutes: tuple[datetime, ...]

    @property
    def store_id(self) -> str:
        """The id at the end of the store's name."""
        return last_id(self.store)


def herds(views: Iterable[Runs], *, most: int) -> list[Herd]:
    """The minutes in which more than `most` views of a store are synced, by who they are; the earliest first.

    Two documents of one name are one view. A view whose name has no store is in no herd.
    """
    together: dict[tuple[str, int], set[str]] = defaultdict(set)
    for name, runs in views:
        store = name.rpartition("/featureViews/")[0]
        for run in runs if store else ():
            together[store, int(run.timestamp()) // 60].add(name)
    found: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for (store, minute), names in together.items():
        if len(names) > max(1, most):
            found[store, tuple(sorted(names))].append(minute)
    return sorted(_herds(found), key=lambda herd: (herd.minutes[0], herd.store, herd.views))


def _herds(found: dict[tuple[str, tuple[str, ...]], list[int]]) -> Iterator[Herd]:
    for (store, names), minutes in found.items():
        yield Herd(store, names, tuple(datetime.fromtimestamp(60 * minute, UTC) for minute in sorted(minutes)))
