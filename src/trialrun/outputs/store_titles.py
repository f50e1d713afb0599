"""What stores are called for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.catalog import DeclaredStore


def store_titles(stores: Sequence[DeclaredStore]) -> dict[str, str]:
    """What stores are called, by name: their ids, or their names where another store has that id."""
    counts = Counter(last_id(store.name) for store in stores)
    ids = ((store.name, last_id(store.name)) for store in stores)
    return {name: id if counts[id] == 1 else name for name, id in ids}
