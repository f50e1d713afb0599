"""Resources of a service: their content as JSON, their etags, where they are from, and all of them at one moment.

Files are the truth. What a client changed of a resource from a file holds until that file's document changes; then the
file counts, and with the document the resource goes. What a client created stays beside, until a file declares it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Annotated, Any, ClassVar, Generic, TypeVar

from pydantic import BeforeValidator

from trialrun.model.node import Node, field_spec, unions
from trialrun.model.proto_json import FieldType, field_type
from trialrun.runtime.declaration import DeclaredResource
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.journal import Journal, Record
from trialrun.service.lint_request import Document, LintWarning
from trialrun.values.suggest import did_you_mean, snake_case

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
        """What becomes of resources where files have these documents; unless they are complete, none is removed."""
        origins = {**self.deleted, **{name: entry.origin for name, entry in self.entries.items()}}
        taken = [name for name, digest in documents.items() if name not in origins or origins[name].document != digest]
        gone = [name for name, origin in origins.items() if is_complete and origin.document and name not in documents]
        return Merge(taken, gone, [name for name in (*taken, *gone) if name in origins and origins[name].is_of_client])

    def merged(self: S, entries: Mapping[str, Any], merge: Merge, **changes: Any) -> tuple[S, Merge]:
        """The state with what became of resources, and the merge without those that documents say as they were."""
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
    """What clients created or changed: the kind, the name and what callers may set of each. Raises StoreError."""
    for kind in KINDS:
        for name, value in sorted(journal.read(kind)):
            if Origin.from_json(value).is_of_client:
                yield kind, name, value["content"]


FIELD = "updateMask"
SEGMENT = re.compile(r"\.?(?:`((?:[^`]|``)*)`|([^.`]+))")
Path = tuple[str, ...]


def update_fields(current: Json, given: Json, mask: str | None, model: type[Node]) -> tuple[Json, list[LintWarning]]:
    """What callers may set of a resource after an update, and what is to say about fields that the mask names in vain.

    What the mask names is as given, or gone where it is not given; a member of a union that is set takes the place of
    the others. Without a mask it is what the request sets: of a message the fields that it sets, and one without a
    field is there afterwards with the fields that it has. Paths are camelCase or snake_case. Raises INVALID_ARGUMENT
    for a path that leads nowhere.
    """
    names = [path.strip() for path in (mask or "").split(",") if path.strip()]
    if "*" in names:
        return without_service_fields(given, model), []
    named = {name: _resolve_path(name, model) for name in names}
    ignored = [name for name, path in named.items() if _is_service_owned(path[0], model)]
    populated = {} if names else dict(_populated_paths(given, model))
    paths = [path for name, path in named.items() if name not in ignored] or populated
    values = {path: _get(given, path, model) for path in paths if not _is_service_owned(path[0], model)}
    result = deepcopy(current)
    for path, value in values.items():
        if value is not None:
            _clear_union_siblings(result, path, model)
    empty_messages = [path for path in values if populated.get(path)]
    for path in empty_messages:
        _set(result, path, _get(result, path, model) or {})
    for path, value in values.items():
        if path not in empty_messages:
            _set(result, path, value)
    message = '"{}" is set by the service; remove it from the mask'
    return result, [
        LintWarning(rule="output-only-field", severity="warning", field=FIELD, message=message.format(name))
        for name in ignored
    ]


def without_service_fields(given: Json, model: type[Node]) -> Json:
    """A resource without its identifier and the fields that only the service sets."""
    return {key: value for key, value in given.items() if not _is_service_owned(_field_name(key, model) or key, model)}


def _is_service_owned(field: str, model: type[Node]) -> bool:
    """Whether a field of a resource is output only, or names the resource, so that a caller cannot set it."""
    if field not in model.model_fields:
        return False
    return field in ("kind", "name", "etag") or field_spec(model, field).mode == "output only"


def _populated_paths(given: Json, model: type[Node], above: Path = ()) -> Iterator[tuple[Path, bool]]:
    for key, value in given.items():
        name = _field_name(key, model) or key
        inner = _type_of_field(name, model)
        message = inner.model if inner and not inner.is_list else None
        if message and isinstance(value, dict) and value:
            yield from _populated_paths(value, message, (*above, name))
        elif value is not None:
            yield (*above, name), message is not None and value == {}


def _resolve_path(text: str, model: type[Node]) -> Path:
    matches = list(SEGMENT.finditer(text))
    if "".join(match[0] for match in matches) != text or text.startswith("."):
        raise _invalid_mask(text, "write fields with dots between them, and backticks around a key with a dot")
    path: list[str] = []
    current_type: FieldType | None = FieldType("the resource", "resources", model=model)
    for segment in (match[2] if match[1] is None else match[1].replace("``", "`") for match in matches):
        if current_type is None or not (current_type.model or current_type.values) or current_type.is_list:
            raise _invalid_mask(text, f'"{path[-1]}" has no fields that a mask can name; end the path with it')
        if current_type.values:
            path.append(segment)
            current_type = current_type.values
            continue
        assert current_type.model is not None
        name = _field_name(segment, current_type.model)
        if name is None:
            raise _unknown_field(text, segment, current_type.model)
        path.append(name)
        current_type = _type_of_field(name, current_type.model)
    return tuple(path)


def _unknown_field(text: str, segment: str, model: type[Node]) -> ServiceError:
    if members := unions(model).get(segment):
        return _invalid_mask(text, f'"{segment}" is a union; name one of its members: {", ".join(members)}')
    fields = model.model_fields
    settable = [name for name in fields if name != "kind" and field_spec(model, name).mode != "output only"]
    what_to_do = did_you_mean(segment, fields, otherwise=f"there are {', '.join(sorted(settable))}")
    return _invalid_mask(text, f'{model.__name__} has no field "{segment}"{what_to_do}')


def _invalid_mask(text: str, message: str) -> ServiceError:
    return invalid_argument(FIELD, "invalid-field-mask", f'"{text}": {message}')


def _field_name(key: str, model: type[Node]) -> str | None:
    """The field that a key of a request means, which may be in snake_case."""
    if key in model.model_fields:
        return key
    return next((name for name in model.model_fields if snake_case(name) == key), None)


def _type_of_field(name: str, model: type[Node]) -> FieldType | None:
    return field_type(model, name) if name in model.model_fields else None


def _get(given: Any, path: Path, model: type[Node] | None) -> Any:
    """What a request has at a path, None for nothing; its keys may be in snake_case."""
    for name in path:
        if not isinstance(given, Mapping):
            return None
        keys = [key for key in given if key == name or (model and _field_name(key, model) == name)]
        if len(keys) > 1:
            message = f'"{keys[1]}" is another spelling of "{keys[0]}"; remove one of the two'
            raise invalid_argument(name, "duplicate-key", message)
        given = given[keys[0]] if keys else None
        inner = _type_of_field(name, model) if model else None
        model = inner.model if inner else None
    return given


def _clear_union_siblings(result: Json, path: Path, model: type[Node]) -> None:
    message: Any = result
    inner: type[Node] | None = model
    for name in path:
        if inner is None or not isinstance(message, dict):
            return
        for members in unions(inner).values():
            for member in members if name in members else ():
                if member != name:
                    message.pop(member, None)
        field_type = _type_of_field(name, inner)
        message, inner = message.get(name), field_type.model if field_type else None


def _set(result: Json, path: Path, value: Any) -> None:
    *above, last = path
    for name in above:
        inner = result.get(name)
        if not isinstance(inner, dict):
            if value is None:
                return
            inner = result[name] = {}
        result = inner
    if value is None:
        result.pop(last, None)
    else:
        result[last] = value
