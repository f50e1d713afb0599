"""Resources of a service: their content as JSON, their etags, where they are from, and all of them at one moment.

Files are the truth. What a client changed of a resource from a file holds until that file's document changes; then the
file counts, and with the document the resource goes. What a client created stays beside, until a file declares it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BeforeValidator

from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.runtime.declaration import DeclaredResource
from trialrun.service.error import Status, service_error
from trialrun.service.journal import Journal, Record
from trialrun.service.lint_request import Document
from trialrun.service.mask import without_service_fields

Json = dict[str, Any]
MAX_RESOURCE = 2**20
"""Bytes of a resource in a request, which is linted, kept and answered whole."""


def _to_json(value: object) -> object:
    """A resource as JSON has it: with keys that are texts, and lists for tuples."""
    if isinstance(value, Node):
        return to_json(value)
    try:
        text = json.dumps(value)
        content = json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply; flatten it") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"invalid JSON: {str(error)[:1].lower()}{str(error)[1:]}") from error
    if len(text) > MAX_RESOURCE:
        raise ValueError(f"a resource has at most {MAX_RESOURCE // 1024:,} kB of JSON; shorten it")
    return content


Resource = Annotated[dict[str, Any], BeforeValidator(_to_json)]
"""A resource, or the JSON of one, which is checked by the rules of the linter and not by its type alone."""


def to_json(node: Node) -> Json:
    """All that a resource sets, as JSON in the canonical form."""
    return node.model_dump(mode="json", exclude_unset=True, exclude_none=True)


def settable_content(node: Node) -> Json:
    """What callers may set of a resource, as JSON in the canonical form."""
    return without_service_fields(to_json(node), type(node))


def to_document(kind: str, name: str, content: Json) -> Document:
    """A resource as the linter takes it."""
    return Document(f"{name}.json", kind, {"name": name, **content})


def declared_documents(kind: str, declared: Iterable[DeclaredResource[Node]]) -> Iterator[Document]:
    """The documents of a kind that a workspace declares, as the linter takes them."""
    for number, resource in enumerate(declared):
        content = {name: value for name, value in to_json(resource.node).items() if name != "kind"}
        yield Document(f"{resource.path}#{kind}-{number}.json", kind, content)


def compute_etag(content: Any, *, change: int) -> str:
    """The etag (AIP-154) of a resource whose JSON is `content` after its service made so many changes."""
    text = json.dumps([change, content], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def require_current_etag(given: str | None, current: str, what: str) -> None:
    """Refuse a change that was made from another version; without an etag it is a blind overwrite."""
    if given and given != current:
        message = f'{what} was changed by another request: its etag is "{current}", not "{given}"; get it again, then '
        raise service_error(Status.ABORTED, "stale-etag", message + "repeat the change", etag=current)


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

    def to_json(self) -> Json:
        """The members of a record that say it."""
        return {"document": self.document, "isChanged": self.is_changed}

    @staticmethod
    def from_json(value: Mapping[str, Any]) -> Origin:
        """What a record says."""
        return Origin(value["document"], value["isChanged"])


@dataclass(frozen=True, slots=True)
class Merge:
    """What becomes of resources: taken from their documents, removed with these, and whose changes by clients ended."""

    taken: Sequence[str] = ()
    removed: Sequence[str] = ()
    overruled: Sequence[str] = ()


@dataclass(frozen=True)
class Entry:
    """A resource of a service: what callers may set of it, and where it is from; `kind` is its message."""

    kind: ClassVar[str]
    name: str
    content: Json
    origin: Origin

    @cached_property
    def document(self) -> Document:
        """The resource as the linter takes it."""
        return to_document(self.kind, self.name, self.content)

    def outputs(self) -> Json:
        """What the service sets, as a journal keeps it."""
        raise NotImplementedError

    def to_record(self) -> Record:
        """The resource as a journal keeps it."""
        return Record(self.kind, self.name, {"content": self.content, **self.outputs(), **self.origin.to_json()})


E = TypeVar("E", bound=Entry)
S = TypeVar("S", bound="State[Any]")


@dataclass(frozen=True)
class State(Generic[E]):
    """All resources at one moment: a change makes another state, so that anyone who reads sees all of it, or none.

    `deleted` has those of files that a client deleted.
    """

    entries: Mapping[str, E]
    deleted: Mapping[str, Origin]

    def origin(self, name: str) -> Origin:
        """Where a resource is from, be it deleted; one that is not known is a client's."""
        entry = self.entries.get(name)
        return entry.origin if entry else self.deleted.get(name, Origin())

    def with_entry(self: S, entry: Entry) -> S:
        """The state with a resource, new or changed."""
        deleted = {name: origin for name, origin in self.deleted.items() if name != entry.name}
        return replace(self, entries={**self.entries, entry.name: entry}, deleted=deleted)

    def without(self: S, name: str) -> S:
        """The state after a client deleted a resource; one from a file stays deleted until its document changes."""
        origin = self.entries[name].origin
        entries = {key: entry for key, entry in self.entries.items() if key != name}
        deleted = {**self.deleted, name: origin.as_changed()} if origin.document else self.deleted
        return replace(self, entries=entries, deleted=deleted)

    def merge(self, documents: Mapping[str, str], *, is_complete: bool) -> Merge:
        """What becomes of resources by name where files have these documents, by the digest of each.

        Where these may not be all documents, no resource is removed.
        """
        origins = {**self.deleted, **{name: entry.origin for name, entry in self.entries.items()}}
        taken = [name for name, digest in documents.items() if name not in origins or origins[name].document != digest]
        gone = [name for name, origin in origins.items() if is_complete and origin.document and name not in documents]
        return Merge(taken, gone, [name for name in (*taken, *gone) if name in origins and origins[name].is_of_client])

    def merged(self: S, entries: Mapping[str, Any], merge: Merge, **changes: Any) -> tuple[S, Merge]:
        """The state with what became of resources, and the merge without those that are as they were.

        Documents may say what their resources are already, as exported ones do.
        """
        settled = {*merge.taken, *merge.removed}
        deleted = {name: origin for name, origin in self.deleted.items() if name not in settled}
        before = {name: entry.content for name, entry in self.entries.items()}
        same = {name for name in merge.taken if name in before and before[name] == entries[name].content}
        taken, overruled = ([name for name in of if name not in same] for of in (merge.taken, merge.overruled))
        return replace(self, entries=entries, deleted=deleted, **changes), Merge(taken, merge.removed, overruled)


def differences(before: State[E], after: State[E], deleted_kind: str) -> Iterator[Record]:
    """The records that make one state of another."""
    yield from (Record(one.kind, name, None) for name, one in before.entries.items() if name not in after.entries)
    yield from (Record(deleted_kind, name, None) for name in before.deleted if name not in after.deleted)
    for name, entry in after.entries.items():
        known = before.entries.get(name)
        if known is not entry and (known is None or known.to_record() != entry.to_record()):
            yield entry.to_record()
    for name, origin in after.deleted.items():
        if before.deleted.get(name) != origin:
            yield Record(deleted_kind, name, origin.to_json())


def document_digest(content: Any) -> str:
    """The digest of a document by its content, which comments and the order of its fields do not change."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()


KINDS = ("FeatureView", "Brand", "ChannelConfig")


def client_resources(journal: Journal) -> Iterator[tuple[str, str, Json]]:
    """What clients created or changed: the kind, the name and what callers may set of each. Raises JournalError."""
    for kind in KINDS:
        for name, value in sorted(journal.read(kind)):
            if Origin.from_json(value).is_of_client:
                yield kind, name, value["content"]
