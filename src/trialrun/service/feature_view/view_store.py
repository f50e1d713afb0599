"""The views of a service: those of the workspace's documents, and what requests made of them since."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import cast

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.model.feature_view import NAME_FORMAT, FeatureView
from trialrun.model.validate import validate
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.service.error import ServiceError
from trialrun.service.etag import compute_etag
from trialrun.service.feature_view.service_account import service_account_email
from trialrun.service.lint_request import Document
from trialrun.service.message import format_timestamp
from trialrun.service.resource_json import Json, declared_documents, settable_content, to_document
from trialrun.service.resource_names import (
    ResourceKind,
    find_resource,
    not_found,
    parent_name,
    require_free,
    require_name,
)
from trialrun.text import Position
from trialrun.values.resource_name import matches_pattern

VIEW_KIND = ResourceKind("FeatureView", "view", NAME_FORMAT, under="store")


@dataclass(frozen=True)
class ViewEntry:
    """A view of the service: what a caller sees of it, and its document as the runtime takes it.

    `content` is what callers may set, as JSON, and `document` the same as the linter takes it; `born` tells the view
    from others of its name, gone or to come.
    """

    view: FeatureView
    content: Json
    document: Document
    declared: DeclaredResource[FeatureView]
    uid: str
    created: datetime

    @property
    def name(self) -> str:
        """The resource name."""
        return self.view.name or ""


class ViewStore:
    """The views of a service by name, as the documents of a catalog declare them and as requests change them.

    `version` counts the changes, and `on_change` is called after each.
    """

    def __init__(self, catalog: Catalog, now: datetime) -> None:
        self._catalog = catalog
        self._changes = 0
        self.on_change: Callable[[], None] = lambda: None
        self.version = 0
        self._entries: dict[str, ViewEntry] = {}
        for declared in catalog.views:
            name = declared.node.name
            if name and name not in self._entries and matches_pattern(name, pattern=NAME_FORMAT):
                self.put(name, settable_content(declared.node), now, declared=declared)

    def __iter__(self) -> Iterator[ViewEntry]:
        return iter([*self._entries.values()])

    @property
    def catalog(self) -> Catalog:
        """The catalog with the views as they are now."""
        return replace(self._catalog, views=[entry.declared for entry in self])

    def get(self, name: str, *, field: str = "name") -> ViewEntry:
        """The view of a name. Raises INVALID_ARGUMENT, and NOT_FOUND that says whether store or view is missing."""
        return find_resource(name, self._entries, VIEW_KIND, field=field, require_parent=self._require_store)

    def list_under(self, parent: str) -> list[ViewEntry]:
        """The views under a store."""
        return [entry for entry in self if parent_name(entry.name) == parent]

    def is_current(self, entry: ViewEntry) -> bool:
        """Whether a view is still there, and not another one of its name."""
        now = self._entries.get(entry.name)
        return now is not None and now.uid == entry.uid

    def require_parent(self, parent: str) -> None:
        """Refuse a parent that is not a name of a store, or a store that the workspace does not declare."""
        require_name(parent, pattern=VIEW_KIND.parent_format, field="parent")
        self._require_store(parent)

    def require_free(self, name: str) -> None:
        """Refuse a name that a view has already. Raises ALREADY_EXISTS."""
        require_free(name, self._entries, VIEW_KIND)

    def put(
        self, name: str, content: Json, now: datetime, *, declared: DeclaredResource[FeatureView] | None = None
    ) -> ViewEntry:
        """Add a view, or put its new content in place of the old; the service sets the output-only fields."""
        before = self._entries.get(name)
        self._changes += 1
        created = before.created if before else now
        outputs: Json = {
            "name": name,
            "createTime": format_timestamp(created),
            "updateTime": format_timestamp(now),
            "etag": compute_etag([name, content], change=self._changes),
        }
        if content.get("serviceAgentType") == "SERVICE_AGENT_TYPE_FEATURE_VIEW":
            outputs["serviceAccountEmail"] = service_account_email(name)
        view = cast("FeatureView", validate({**content, **outputs}, FeatureView).node)
        born = before.uid if before else f"{self._changes}@{format_timestamp(now)}"
        entry = ViewEntry(
            view, content, to_document(VIEW_KIND.name, name, content), declared or _declaration(view), born, created
        )
        self._entries[name] = entry
        self._report_change()
        return entry

    def remove(self, name: str) -> None:
        """Forget a view."""
        self._entries.pop(name, None)
        self._report_change()

    def _report_change(self) -> None:
        self.version += 1
        self.on_change()

    def _require_store(self, parent: str) -> None:
        if self._catalog.store_of(f"{parent}/featureViews/-") is None:
            raise self._no_store(parent)

    def _no_store(self, parent: str) -> ServiceError:
        names = [store.node.name for store in self._catalog.stores if store.node.name]
        return not_found("FeatureOnlineStore", parent, names)


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
