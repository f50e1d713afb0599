"""Herds: views of one online store that are synced in the same minutes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from trialrun.lazy_dataclass import dataclass
from trialrun.values.resource_name import last_id

_MINUTE = 60
Runs = tuple[str, Sequence[datetime]]
"""The resource name of a view, and when it is synced in the time that is looked at."""


@dataclass(frozen=True)
class Collision:
    """The names of views of a store that are synced together, and the minutes at which they are, in UTC."""

    store: str
    views: tuple[str, ...]
    minutes: tuple[datetime, ...]

    @property
    def store_id(self) -> str:
        """The id at the end of the store's name."""
        return last_id(self.store)


def find_collisions(views: Iterable[Runs], *, most: int) -> list[Collision]:
    """The minutes in which more than `most` views of a store are synced, by who they are; the earliest first.

    Two documents of one name are one view. A view whose name has no store is in no herd.
    """
    names: dict[str, int] = {}
    together: dict[tuple[str, int], int] = defaultdict(int)  # views as bits: sets of texts take ten times as long
    for name, runs in views:
        store = name.rpartition("/featureViews/")[0]
        bit = 1 << names.setdefault(name, len(names))
        for run in runs if store else ():
            together[store, int(run.timestamp()) // _MINUTE] |= bit
    views_by_run: dict[tuple[str, int], list[int]] = defaultdict(list)
    for (store, minute), bits in together.items():
        if bits.bit_count() > max(1, most):
            views_by_run[store, bits].append(minute)
    return sorted(_collisions(views_by_run, [*names]), key=lambda herd: (herd.minutes[0], herd.store, herd.views))


def _collisions(views_by_run: Mapping[tuple[str, int], list[int]], names: Sequence[str]) -> Iterator[Collision]:
    for (store, bits), minutes in views_by_run.items():
        views = sorted(name for place, name in enumerate(names) if bits >> place & 1)
        moments = (datetime.fromtimestamp(_MINUTE * minute, UTC) for minute in sorted(minutes))
        yield Collision(store, tuple(views), tuple(moments))
