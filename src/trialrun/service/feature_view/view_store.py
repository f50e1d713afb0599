"""The views of a service: those of the workspace's documents, and what requests make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.model.companion import FeatureOnlineStore
from trialrun.model.feature_view import NAME_FORMAT, FeatureView
from trialrun.model.validate import validate
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.store.interface import SyncRunning
from trialrun.service.error import ServiceError, invalid_argument
from trialrun.service.etag import compute_etag, require_current_etag
from trialrun.service.feature_view.messages import CreateFeatureViewRequest, PatchFeatureViewRequest
from trialrun.service.feature_view.service_account import service_account_email
from trialrun.service.filter import LabelsField, TextField, TimeField
from trialrun.service.journal import Journal, Record, counter_record, read_counter
from trialrun.service.lint_request import Document, LintWarning, RequestLinter
from trialrun.service.listing import Collection, id_of, timestamp_key
from trialrun.service.mask import apply_mask, ignored_field_warnings, parse_mask, without_service_fields
from trialrun.service.message import parse_timestamp
from trialrun.service.origin import CREATED, Merge, Origin, document_digest, merge_documents
from trialrun.service.resource_json import Json, canonicalize_content, declared_documents, settable_content, to_document
from trialrun.service.resource_names import name_in_request, not_found, parent_name
from trialrun.text import Position
from trialrun.values.resource_name import matches_pattern
from trialrun.values.timestamp import format_timestamp

VIEW = Collection[FeatureView](
    "FeatureView",
    "view",
    NAME_FORMAT,
    under="store",
    fields={
        "createTime": TimeField(lambda view: view.createTime),
        "updateTime": TimeField(lambda view: view.updateTime),
        "featureViewId": TextField(id_of),
        "labels": LabelsField(lambda view: view.labels),
    },
    orders={
        "feature_view_id": id_of,
        "create_time": lambda view: timestamp_key(view.createTime),
        "update_time": lambda view: timestamp_key(view.updateTime),
    },
    tie="feature_view_id",
)


@dataclass(frozen=True)
class ViewEntry:
    """A view of the service: what a caller sees of it, and its document as the runtime takes it.

    `content` is what callers may set, as JSON, and `document` the same as the linter takes it; `uid` tells the view
    from others of its name, gone or to come.
    """

    view: FeatureView
    content: Json
    document: Document
    declared: DeclaredResource[FeatureView]
    uid: str
    created: datetime
    origin: Origin = CREATED

    @property
    def name(self) -> str:
        """The resource name."""
        return self.view.name or ""

    def to_record(self) -> Record:
        """The view as a journal keeps it."""
        value: Json = {
            "content": self.content,
            "uid": self.uid,
            "createTime": self.view.createTime,
            "updateTime": self.view.updateTime,
            "etag": self.view.etag,
            **self.origin.to_json(),
        }
        return Record(KIND, self.name, value)


KIND, DELETED_KIND, CHANGES = "FeatureView", "deleted FeatureView", "FeatureView"


@dataclass(frozen=True)
class ViewState:
    """All views at one moment: a change makes another state, so that anyone who reads sees all of it, or none.

    `deleted` has views of files that a client deleted; `changes` counts all changes ever made.
    """

    catalog: Catalog
    entries: Mapping[str, ViewEntry]
    deleted: Mapping[str, Origin]
    changes: int

    @property
    def origins(self) -> Mapping[str, Origin]:
        """Where the views are from, the deleted ones too."""
        return {**self.deleted, **{name: entry.origin for name, entry in self.entries.items()}}

    def with_entry(self, entry: ViewEntry) -> ViewState:
        """The state with a view, new or changed."""
        deleted = {name: origin for name, origin in self.deleted.items() if name != entry.name}
        return replace(self, entries={**self.entries, entry.name: entry}, deleted=deleted, changes=self.changes + 1)

    def without(self, name: str) -> ViewState:
        """The state without a view and what is known of it."""
        return replace(
            self,
            entries={key: entry for key, entry in self.entries.items() if key != name},
            deleted={key: origin for key, origin in self.deleted.items() if key != name},
        )


class ViewStore:
    """The views of a service by name, as the documents of a catalog declare them and as requests change them.

    A change is in the journal before anyone sees it; every change may raise JournalError, and has then changed nothing.
    `version` counts the changes of this process, and `on_change` is called after each.
    """

    def __init__(self, journal: Journal, began: datetime) -> None:
        self._journal = journal
        self.began = began
        self.on_change: Callable[[], None] = lambda: None
        self.version = 0
        entries = {name: _restored(name, value) for name, value in journal.read(KIND)}
        deleted = {name: Origin.from_json(value) for name, value in journal.read(DELETED_KIND)}
        self._state = ViewState(Catalog(), entries, deleted, read_counter(journal, CHANGES))

    def __iter__(self) -> Iterator[ViewEntry]:
        return iter([*self._state.entries.values()])

    @property
    def catalog(self) -> Catalog:
        """The catalog with the views as they are now."""
        state = self._state
        return replace(state.catalog, views=[entry.declared for entry in state.entries.values()])

    def get(self, name: str, *, field: str = "name") -> ViewEntry:
        """The view of a name. Raises INVALID_ARGUMENT, and NOT_FOUND that says whether store or view is missing."""
        return VIEW.find(name, self._state.entries, field=field, require_parent=self._require_store)

    def list_under(self, parent: str) -> list[ViewEntry]:
        """The views under a store."""
        return [entry for entry in self if parent_name(entry.name) == parent]

    def is_current(self, entry: ViewEntry) -> bool:
        """Whether a view is still there, and not another one of its name."""
        now = self._state.entries.get(entry.name)
        return now is not None and now.uid == entry.uid

    def store(self, name: str) -> FeatureOnlineStore:
        """The store of a name. Raises NOT_FOUND."""
        declared = self._state.catalog.store_of(f"{name}/featureViews/-")
        if declared is None:
            raise self._no_store(name)
        return declared.node

    def require_parent(self, parent: str) -> None:
        """Refuse a parent that is not a name of a store, or a store that the workspace does not declare."""
        VIEW.require_parent_name(parent)
        self._require_store(parent)

    def new_name(self, parent: str, id_: str) -> str:
        """The name of a new view by its id. Raises INVALID_ARGUMENT and ALREADY_EXISTS."""
        return VIEW.new_name(parent, id_, self._state.entries, field="featureViewId")

    def put(self, name: str, content: Json, now: datetime) -> ViewEntry:
        """Add a view, or put its new content in place of the old; the service sets the output-only fields."""
        state, origin = self._state, self._state.origins.get(name, CREATED)
        before, change = state.entries.get(name), state.changes + 1
        entry = _built(before, name, content, now, origin.as_changed(), change=change)
        self._commit(state.with_entry(entry))
        return entry

    def remove(self, entry: ViewEntry, belongings: Sequence[Record], remove_values: Callable[[], None]) -> None:
        """Forget a view with what belongs to it; one from a file stays deleted until its document changes.

        Raises SyncRunning where its values cannot be removed, and then forgets nothing.
        """
        before = self._state
        after = before.without(entry.name)
        if entry.origin.document:
            after = replace(after, deleted={**after.deleted, entry.name: entry.origin.as_changed()})
        self._journal.write([*_differences(before, after), *(Record(one.kind, one.name, None) for one in belongings)])
        try:
            remove_values()
        except SyncRunning:
            self._journal.write([*_differences(after, before), *belongings])
            raise
        self._show(after)

    def merge(
        self,
        catalog: Catalog,
        now: datetime,
        *,
        is_complete: bool = True,
        belongings: Callable[[ViewEntry], Sequence[Record]] = lambda entry: (),
    ) -> Merge:
        """Take over the documents of a catalog, all at once; `belongings` are the records that go with a view.

        Of a catalog that is not complete, since files cannot be read, no view goes.
        """
        before, declared = self._state, _views_by_name(catalog)
        contents = {name: settable_content(view.node) for name, view in declared.items()}
        documents = {name: document_digest(content) for name, content in contents.items()}
        merged = merge_documents(documents, before.origins, is_complete=is_complete)
        gone = [before.entries[name] for name in merged.removed if name in before.entries]
        changes, entries = before.changes, dict(before.entries)
        for name in merged.removed:
            entries.pop(name, None)
        adopted = {name for name in merged.taken if name in entries and entries[name].content == contents[name]}
        for name in adopted:
            entries[name] = replace(entries[name], origin=Origin(documents[name]))
        for name in merged.adopting(adopted).taken:
            changes += 1
            origin = Origin(documents[name])
            entries[name] = _built(before.entries.get(name), name, contents[name], now, origin, change=changes)
        entries = {name: _with_declaration(entry, declared) for name, entry in entries.items()}
        settled = {*merged.taken, *merged.removed}
        deleted = {name: origin for name, origin in before.deleted.items() if name not in settled}
        also = [Record(one.kind, one.name, None) for entry in gone for one in belongings(entry)]
        self._commit(ViewState(catalog, entries, deleted, changes), also)
        return merged.adopting(adopted)

    def _commit(self, state: ViewState, also: Sequence[Record] = ()) -> None:
        records = [*_differences(self._state, state), *also]
        self._journal.write(records)
        self._show(state)

    def _show(self, state: ViewState) -> None:
        self._state = state
        self.version += 1
        self.on_change()

    def _require_store(self, parent: str) -> None:
        self.store(parent)

    def _no_store(self, parent: str) -> ServiceError:
        names = [store.node.name for store in self._state.catalog.stores if store.node.name]
        return not_found("FeatureOnlineStore", parent, names)


def _views_by_name(catalog: Catalog) -> dict[str, DeclaredResource[FeatureView]]:
    """The views of a catalog that have a resource name; of two with one name the first."""
    views: dict[str, DeclaredResource[FeatureView]] = {}
    for declared in catalog.views:
        name = declared.node.name
        if name and matches_pattern(name, pattern=NAME_FORMAT):
            views.setdefault(name, declared)
    return views


def _built(
    before: ViewEntry | None, name: str, content: Json, now: datetime, origin: Origin, *, change: int
) -> ViewEntry:
    """A view with some content by the change of a number, new or in place of another."""
    created = before.created if before else now
    outputs: Json = {
        "createTime": format_timestamp(created),
        "updateTime": format_timestamp(now),
        "etag": compute_etag([name, content], change=change),
    }
    uid = before.uid if before else f"{change}@{format_timestamp(now)}"
    return _entry(name, content, outputs, uid, origin)


def _restored(name: str, value: Json) -> ViewEntry:
    """A view as a journal has it."""
    outputs = {field: value[field] for field in ("createTime", "updateTime", "etag")}
    return _entry(name, value["content"], outputs, value["uid"], Origin.from_json(value))


def _entry(name: str, content: Json, outputs: Json, uid: str, origin: Origin) -> ViewEntry:
    if content.get("serviceAgentType") == "SERVICE_AGENT_TYPE_FEATURE_VIEW":
        outputs = {**outputs, "serviceAccountEmail": service_account_email(name)}
    view = cast("FeatureView", validate({**content, "name": name, **outputs}, FeatureView).node)
    document = to_document(VIEW.name, name, content)
    return ViewEntry(view, content, document, _declaration(view), uid, parse_timestamp(outputs["createTime"]), origin)


def _with_declaration(entry: ViewEntry, declared: Mapping[str, DeclaredResource[FeatureView]]) -> ViewEntry:
    """A view with the place of its document, as long as it is what the document says."""
    document = declared.get(entry.name)
    if document is None or entry.origin.is_of_client:
        return entry
    return replace(entry, declared=document)


def _differences(before: ViewState, after: ViewState) -> Iterator[Record]:
    """The records that make one state of the other."""
    for name in before.entries.keys() - after.entries.keys():
        yield Record(KIND, name, None)
    for name in before.deleted.keys() - after.deleted.keys():
        yield Record(DELETED_KIND, name, None)
    for name, entry in after.entries.items():
        known = before.entries.get(name)
        if known is not entry and (known is None or known.to_record() != entry.to_record()):
            yield entry.to_record()
    for name in after.deleted.keys() - before.deleted.keys():
        yield Record(DELETED_KIND, name, after.deleted[name].to_json())
    if after.changes != before.changes:
        yield counter_record(CHANGES, after.changes)


def companions(catalog: Catalog) -> Iterator[Document]:
    """The documents of a catalog that say what there is."""
    yield from declared_documents("FeatureOnlineStore", catalog.stores)
    yield from declared_documents("FeatureGroupTable", catalog.groups)
    yield from declared_documents("Source", catalog.sources)


def _declaration(view: FeatureView) -> DeclaredResource[FeatureView]:
    """A view that no file declares; its place is the first character of a text that has its name."""
    return DeclaredResource(view, view.name or "", "", 0, _first_character)


def _first_character(place: SymbolicLocation) -> Range:
    return Range(Position(1, 1), Position(1, 1))


FIELD = "featureView"


class ViewMutations:
    """Judges the changes that requests ask for; labels under the system prefix, if there is one, are not theirs."""

    def __init__(self, views: ViewStore, request_linter: RequestLinter, system_label_prefix: str | None) -> None:
        self._views = views
        self._judge = request_linter
        self._system = f"{system_label_prefix.rstrip('/')}/" if system_label_prefix else None

    def prepare_create(self, request: CreateFeatureViewRequest) -> tuple[str, Json, list[LintWarning]]:
        """The name and the content of a new view, and what the linter remarks. Raises ServiceError."""
        self._views.require_parent(request.parent)
        name = self._views.new_name(request.parent, request.featureViewId)
        given = without_service_fields(request.featureView, FeatureView)
        self._require_system_labels_unchanged({}, _labels(given))
        return name, *self._lint(name, given)

    def prepare_patch(self, request: PatchFeatureViewRequest) -> tuple[str, Json, list[LintWarning]]:
        """The name and the new content of a view, and what the linter remarks. Raises ServiceError."""
        given = request.featureView
        entry = self._views.get(name_in_request(given, field=FIELD), field=f"{FIELD}.name")
        require_current_etag(_etag(given), entry.view.etag or "", "the view")
        mask = parse_mask(request.updateMask, given, FeatureView)
        after = self._with_system_labels(entry.content, apply_mask(entry.content, given, mask, FeatureView))
        content, remarks = self._lint(entry.name, after)
        return entry.name, content, [*ignored_field_warnings(mask), *remarks]

    def _lint(self, name: str, content: Json) -> tuple[Json, list[LintWarning]]:
        others = [entry.document for entry in self._views if entry.name != name]
        remarks = self._judge.check(to_document(VIEW.name, name, content), others, field=FIELD)
        return canonicalize_content(content, FeatureView), remarks

    def _with_system_labels(self, before: Json, after: Json) -> Json:
        """The content with the system labels that it had, which stay where a request leaves them out.

        What is not a map of labels stays as it is, for the linter to refuse.
        """
        if after.get("labels") is not None and not isinstance(after["labels"], Mapping):
            return after
        system_labels = {key: value for key, value in _labels(before).items() if self._is_system(key)}
        self._require_system_labels_unchanged(system_labels, _labels(after))
        return {**after, "labels": {**_labels(after), **system_labels}} if system_labels else after

    def _require_system_labels_unchanged(self, system_labels: Mapping[str, Any], given: Mapping[str, Any]) -> None:
        for key, value in given.items():
            if self._is_system(key) and system_labels.get(key) != value:
                message = f'"{key}" is a system label, which cannot be changed; remove it'
                raise invalid_argument(f"{FIELD}.labels.{key}", "system-label", message)

    def _is_system(self, key: str) -> bool:
        return self._system is not None and key.startswith(self._system)


def _labels(content: Json) -> Mapping[str, Any]:
    labels = content.get("labels")
    return labels if isinstance(labels, Mapping) else {}


def _etag(given: Json) -> str | None:
    etag = given.get("etag")
    if etag is None or isinstance(etag, str):
        return etag
    raise invalid_argument(
        f"{FIELD}.etag", "wrong-type", "an etag must be text; send the one that get returned, or none"
    )
