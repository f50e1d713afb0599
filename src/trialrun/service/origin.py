"""Where resources of a service are from, and what becomes of them when the files of a workspace change.

Files are the truth. What a client changed of a resource from a file holds until that file's document changes; then the
file counts, and with the document the resource goes. What a client created stays beside, until a file declares it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.service.journal import Journal


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a resource is from: the digest of its document in a file, empty for one that a client created.

    `is_changed` says that a client changed or deleted it since.
    """

    document: str = ""
    is_changed: bool = False

    @property
    def is_of_client(self) -> bool:
        """Whether the resource as it is now is a client's work."""
        return not self.document or self.is_changed

    def as_changed(self) -> Origin:
        """The origin after a client changed the resource."""
        return Origin(self.document, is_changed=bool(self.document))

    def to_json(self) -> dict[str, Any]:
        """The members of a record that say it."""
        return {"document": self.document, "isChanged": self.is_changed}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Origin:
        """What a record says."""
        return Origin(value["document"], value["isChanged"])


CREATED = Origin()
"""The origin of what a client created."""


@dataclass(frozen=True, slots=True)
class Merge:
    """What becomes of resources: taken from their documents, removed with these, and whose changes by clients ended."""

    taken: Sequence[str] = ()
    removed: Sequence[str] = ()
    overruled: Sequence[str] = ()

    def adopting(self, names: Collection[str]) -> Merge:
        """The same where documents of some names say what their resources are already, as exported ones do."""
        taken, overruled = ([name for name in of if name not in names] for of in (self.taken, self.overruled))
        return Merge(taken, self.removed, overruled)


def document_digest(content: Any) -> str:
    """The digest of a document by its content, which comments and the order of its fields do not change."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def merge_documents(documents: Mapping[str, str], origins: Mapping[str, Origin], *, is_complete: bool = True) -> Merge:
    """What becomes of resources by name where files have these documents, by the digest of each.

    Where these may not be all documents, no resource is removed.
    """
    taken = [name for name, digest in documents.items() if name not in origins or origins[name].document != digest]
    removed = [name for name, origin in origins.items() if is_complete and origin.document and name not in documents]
    overruled = [name for name in (*taken, *removed) if name in origins and origins[name].is_of_client]
    return Merge(taken, removed, overruled)


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
            if Origin.from_json(value).is_of_client:
                yield ClientResource(kind, name, value["content"])
