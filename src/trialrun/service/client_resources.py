"""The resources of a journal that clients created or changed, for those who want them as files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.service.journal import Journal
from trialrun.service.origin import Origin

KINDS = ("FeatureView", "Brand", "ChannelConfig")


@dataclass(frozen=True, slots=True)
class ClientResource:
    """A resource as clients left it: its kind, its resource name, and what callers may set of it."""

    kind: str
    name: str
    content: dict[str, Any]


def client_resources(journal: Journal) -> Iterator[ClientResource]:
    """What clients created or changed, by kind and name. Raises JournalError."""
    for kind in KINDS:
        for name, value in sorted(journal.read(kind)):
            if Origin.from_json(value).is_of_client or _has_created_stores(value):
                yield ClientResource(kind, name, value["content"])


def _has_created_stores(value: dict[str, Any]) -> bool:
    """Whether clients created stores beside those of a brand's document."""
    if "declaredStores" not in value:
        return False
    return any(store.get("name") not in value["declaredStores"] for store in value["content"].get("stores", ()))
