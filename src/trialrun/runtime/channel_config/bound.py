"""Whether a binding of a brand applies to a store, on plain values."""

from __future__ import annotations

from collections.abc import Collection

from trialrun.values.resource_name import is_same


def is_bound(
    *,
    tags: Collection[str] | None,
    names: Collection[str] | None,
    store_name: str,
    store_tags: Collection[str],
) -> bool:
    """Whether a binding for stores of these tags and names applies to a store: one that has all the tags and is named.

    A list that is unset or empty demands nothing.
    """
    if tags and not all(tag in store_tags for tag in tags):
        return False
    return not names or any(is_same(name, store_name) for name in names)
