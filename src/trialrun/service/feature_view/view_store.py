"""The views of a service, as documents declare them and requests change them, and the stores that they are in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from trialrun.diagnostic import Range
from trialrun.lint.selection import Selection
from trialrun.model.companion import FeatureOnlineStore
from trialrun.model.feature_view import NAME_FORMAT, FeatureView
from trialrun.model.validate import validate
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.runtime.feature_view.store.interface import SyncRunning
from trialrun.service.error import invalid_argument
from trialrun.service.feature_view import messages as m
from trialrun.service.filter import LabelsField, TextField, TimeField
from trialrun.service.iam import service_account_email
from trialrun.service.journal import Journal, Record, counter_record, read_counter
from trialrun.service.lint_request import LintWarning, RequestLinter
from trialrun.service.listing import Collection, id_of, name_in_request, not_found, parent_name
from trialrun.service.resource import (
    Entry,
    Json,
    Merge,
    Origin,
    State,
    compute_etag,
    declared_documents,
    differences,
    document_digest,
    require_current_etag,
    settable_content,
    to_document,
    update_fields,
    without_service_fields,
)
from trialrun.text import Position
from trialrun.values.resource_name import matches_pattern
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.runtime.clock import Clock

FIELD = "featureView"
KIND, DELETED_KIND, CHANGES = "FeatureView", "deleted FeatureView", "FeatureView"
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
    orders=("feature_view_id", "create_time", "update_time"),
)
STORE = Collection[m.OnlineStore](
    "FeatureOnlineStore",
    "store",
    parent_name(NAME_FORMAT),
    fields={
        "featureOnlineStoreId": TextField(id_of),
        "createTime": TimeField(lambda store: format_timestamp(store.createTime)),
        "updateTime": TimeField(lambda store: format_timestamp(store.updateTime)),
        "labels": LabelsField(lambda store: store.labels),
    },
    orders=("feature_online_store_id", "create_time", "update_time"),
)
STORE_TYPES: Mapping[str, Any] = {
    "KEY_VALUE": {"bigtable": {"autoScaling": {"minNodeCount": 1, "maxNodeCount": 1}}},
    "OPTIMIZED": {"optimized": {}},
}
"""What says of which type a store is; clients know one for keys and values by its scaling alone."""


@dataclass(frozen=True)
class ViewEntry(Entry):
    """A view of the service: what a caller sees of it, and its document as the runtime takes it.

    `uid` tells the view from others of its name, gone or to come.
    """

    kind = KIND
    view: FeatureView
    declared: DeclaredResource[FeatureView]
    uid: str

    def outputs(self) -> Json:
        view = self.view
        return {"uid": self.uid, "createTime": view.createTime, "updateTime": view.updateTime, "etag": view.etag}


@dataclass(frozen=True)
class ViewState(State[ViewEntry]):
    """All views at one moment, with the catalog of the documents; `changes` counts all changes ever made."""

    catalog: Catalog
    changes: int


class ViewStore:
    """The views of a service by name, as the documents of a catalog declare them and as requests change them.

    A change is in the journal before anyone sees it; every change may raise StoreError, and has then changed nothing.
    `version` counts the changes of this process, and `on_change` is called after each.
    """

    def __init__(self, journal: Journal, clock: Clock) -> None:
        self._journal, self._clock = journal, clock
        self._began = clock.now()
        self.on_change: Callable[[], None] = lambda: None
        self.version = 0
        entries = {
            name: _entry(name, value["content"], value, value["uid"], Origin.from_json(value))
            for name, value in journal.read(KIND)
        }
        deleted = {name: Origin.from_json(value) for name, value in journal.read(DELETED_KIND)}
        self._state = ViewState(entries, deleted, Catalog(), read_counter(journal, CHANGES))

    def __iter__(self) -> Iterator[ViewEntry]:
        return iter([*self._state.entries.values()])

    @property
    def catalog(self) -> Catalog:
        """The catalog with the views as they are now."""
        state = self._state
        return replace(state.catalog, views=[entry.declared for entry in state.entries.values()])

    def get(self, name: str, *, field: str = "name") -> ViewEntry:
        """The view of a name. Raises INVALID_ARGUMENT, and NOT_FOUND that says whether store or view is missing."""
        return VIEW.find(name, self._state.entries, field=field, require_parent=self._declared_store)

    def list_under(self, parent: str) -> list[FeatureView]:
        """The views under a store. Raises INVALID_ARGUMENT and NOT_FOUND."""
        self._require_parent(parent)
        return [entry.view for entry in self if parent_name(entry.name) == parent]

    def is_current(self, entry: ViewEntry) -> bool:
        """Whether a view is still there, and not another one of its name."""
        now = self._state.entries.get(entry.name)
        return now is not None and now.uid == entry.uid

    def store(self, name: str, address: str) -> m.OnlineStore:
        """A store by its name, optimized ones with the address of their server. Raises NOT_FOUND."""
        of_type = STORE_TYPES.get(self._declared_store(name).type or "", {})
        store = m.OnlineStore(name=name, createTime=self._began, updateTime=self._began, **of_type)
        if store.optimized is None or not address:
            return store
        endpoint = m.DedicatedServingEndpoint(publicEndpointDomainName=address)
        return store.model_copy(update={"dedicatedServingEndpoint": endpoint})

    def stores_under(self, parent: str, address: str) -> list[m.OnlineStore]:
        """The stores of a location."""
        declared = [store.node.name for store in self._state.catalog.stores if store.node.name]
        names = [name if "/" in name else f"{parent}/featureOnlineStores/{name}" for name in declared]
        return [self.store(name, address) for name in dict.fromkeys(names) if parent_name(name) == parent]

    def prepare_create(self, request: m.CreateFeatureViewRequest) -> tuple[str, Json, list[LintWarning]]:
        """The name and the content of a new view, and what the linter remarks. Raises ServiceError."""
        self._require_parent(request.parent)
        taken = {entry.name for entry in self}
        name = VIEW.new_name(request.parent, request.featureViewId, taken, field="featureViewId")
        given = without_service_fields(request.featureView, FeatureView)
        return name, *self._lint(name, given, before={})

    def prepare_patch(self, request: m.PatchFeatureViewRequest) -> tuple[str, Json, list[LintWarning]]:
        """The name and the new content of a view, and what the linter remarks. Raises ServiceError."""
        given = request.featureView
        entry = self.get(name_in_request(given, field=FIELD), field=f"{FIELD}.name")
        etag = given.get("etag")
        if etag is not None and not isinstance(etag, str):
            message = "an etag must be text; send the one that get returned, or none"
            raise invalid_argument(f"{FIELD}.etag", "wrong-type", message)
        require_current_etag(etag, entry.view.etag or "", "the view")
        updated, ignored = update_fields(entry.content, given, request.updateMask, FeatureView)
        content, remarks = self._lint(entry.name, updated, before=entry.content)
        return entry.name, content, [*ignored, *remarks]

    def put(self, name: str, content: Json) -> FeatureView:
        """Add a view, or put its new content in place of the old; the service sets the output-only fields."""
        state = self._state
        entry = self._built(name, content, state.origin(name).as_changed(), change=state.changes + 1)
        self._commit(replace(state.with_entry(entry), changes=state.changes + 1))
        return entry.view

    def remove(self, entry: ViewEntry, belongings: Sequence[Record], remove_values: Callable[[], None]) -> None:
        """Forget a view with what belongs to it; one from a file stays deleted until its document changes.

        Raises SyncRunning where its values cannot be removed, and then forgets nothing.
        """
        before = self._state
        after = before.without(entry.name)
        gone = [Record(record.kind, record.name, None) for record in belongings]
        self._journal.write([*differences(before, after, DELETED_KIND), *gone])
        try:
            remove_values()
        except SyncRunning:
            self._journal.write([*differences(after, before, DELETED_KIND), *belongings])
            raise
        self._show(after)

    def merge(
        self,
        catalog: Catalog,
        selection: Selection,
        belongings: Callable[[ViewEntry], Sequence[Record]],
        *,
        is_complete: bool,
    ) -> Merge:
        """Take over the documents of a catalog and the rules for changes, all at once.

        `belongings` are the records that go with a view. Of a catalog that is not complete, since files cannot be read,
        no view goes.
        """
        before = self._state
        declared: dict[str, DeclaredResource[FeatureView]] = {}
        for view in catalog.views:
            if matches_pattern(view.node.name or "", pattern=NAME_FORMAT):
                declared.setdefault(view.node.name or "", view)  # of two with one name the first
        contents = {name: settable_content(view.node) for name, view in declared.items()}
        documents = {name: document_digest(content) for name, content in contents.items()}
        merge = before.merge(documents, is_complete=is_complete)
        gone = [before.entries[name] for name in merge.removed if name in before.entries]
        changes = before.changes
        entries = {name: entry for name, entry in before.entries.items() if name not in merge.removed}
        for name in merge.taken:
            known, origin = entries.get(name), Origin(documents[name])
            if known is not None and known.content == contents[name]:
                entries[name] = replace(known, origin=origin)
            else:
                changes += 1
                entries[name] = self._built(name, contents[name], origin, change=changes)
        for name, entry in entries.items():
            if name in declared and not entry.origin.is_of_client:
                entries[name] = replace(entry, declared=declared[name])
        after, merge = before.merged(entries, merge, catalog=catalog, changes=changes)
        self._commit(after, [Record(one.kind, one.name, None) for entry in gone for one in belongings(entry)])
        companions = [
            *declared_documents("FeatureOnlineStore", catalog.stores),
            *declared_documents("FeatureGroupTable", catalog.groups),
            *declared_documents("Source", catalog.sources),
        ]
        self._linter = RequestLinter(selection, companions, now=self._clock.now)
        prefix = selection.option_values.get("system-label-prefix")
        self._system_prefix = f"{prefix.rstrip('/')}/" if prefix else None
        return merge

    def _commit(self, state: ViewState, also: Sequence[Record] = ()) -> None:
        before = self._state
        count = [counter_record(CHANGES, state.changes)] if state.changes != before.changes else []
        self._journal.write([*differences(before, state, DELETED_KIND), *count, *also])
        self._show(state)

    def _show(self, state: ViewState) -> None:
        self._state = state
        self.version += 1
        self.on_change()

    def _built(self, name: str, content: Json, origin: Origin, *, change: int) -> ViewEntry:
        before, now = self._state.entries.get(name), format_timestamp(self._clock.now())
        outputs = {
            "createTime": before.view.createTime if before else now,
            "updateTime": now,
            "etag": compute_etag([name, content], change=change),
        }
        return _entry(name, content, outputs, before.uid if before else f"{change}@{now}", origin)

    def _declared_store(self, name: str) -> FeatureOnlineStore:
        """The document of a store. Raises NOT_FOUND."""
        catalog = self._state.catalog
        declared = catalog.store_of(f"{name}/featureViews/-")
        if declared is None:
            known = [store.node.name for store in catalog.stores if store.node.name]
            raise not_found("FeatureOnlineStore", name, known)
        return declared.node

    def _require_parent(self, parent: str) -> None:
        VIEW.require_parent_name(parent)
        self._declared_store(parent)

    def _lint(self, name: str, content: Json, *, before: Json) -> tuple[Json, list[LintWarning]]:
        """The content in canonical form, and what the linter remarks. Raises ServiceError with its errors."""
        content = self._with_system_labels(content, before)
        others = [entry.document for entry in self if entry.name != name]
        remarks = self._linter.check(to_document(KIND, name, content), others, field=FIELD)
        return settable_content(validate(content, FeatureView).node), remarks

    def _with_system_labels(self, content: Json, before: Json) -> Json:
        """The content with the system labels that it had, which stay where a request leaves them out.

        What is not a map of labels stays as it is, for the linter to refuse.
        """
        prefix, labels = self._system_prefix, content.get("labels")
        labels = {} if labels is None else labels
        if prefix is None or not isinstance(labels, Mapping):
            return content
        kept = {key: value for key, value in before.get("labels", {}).items() if key.startswith(prefix)}
        for key, value in labels.items():
            if key.startswith(prefix) and kept.get(key) != value:
                message = f'"{key}" is a system label, which cannot be changed; remove it'
                raise invalid_argument(f"{FIELD}.labels.{key}", "system-label", message)
        return {**content, "labels": {**labels, **kept}} if kept else content


def _entry(name: str, content: Json, record: Json, uid: str, origin: Origin) -> ViewEntry:
    """A view with the times and the etag of a record; no document declares it, so its place is that of its name."""
    outputs = {field: record[field] for field in ("createTime", "updateTime", "etag")}
    if content.get("serviceAgentType") == "SERVICE_AGENT_TYPE_FEATURE_VIEW":
        outputs["serviceAccountEmail"] = service_account_email(name)
    view = cast("FeatureView", validate({**content, "name": name, **outputs}, FeatureView).node)
    declared = DeclaredResource(view, name, "", 0, lambda _: Range(Position(1, 1), Position(1, 1)))
    return ViewEntry(name, content, origin, view, declared, uid)
