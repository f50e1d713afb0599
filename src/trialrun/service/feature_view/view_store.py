"""The views of a service: those of the workspace's documents, and what requests made of them since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import cast

from trialrun.diagnostic import Place, Range
from trialrun.lazy_dataclass import dataclass
from trialrun.model.feature_view import NAME_FORMAT, FeatureView
from trialrun.model.validate import fit
from trialrun.runtime.declaration import Catalog, Declared
from trialrun.service.error import ServiceError
from trialrun.service.etag import etag_of
from trialrun.service.feature_view.service_account import account_of
from trialrun.service.lint_request import Document
from trialrun.service.message import z_form
from trialrun.service.resource_json import Json, content_of, declared_documents, document
from trialrun.service.resource_names import Kind, found, missing, parent_of, require_free, require_name
from trialrun.text import Position
from trialrun.values.resource_name import fits

KIND = Kind("FeatureView", "view", NAME_FORMAT, under="store")


@dataclass(frozen=True)
class Entry:
    """A view of the service: what a caller sees of it, and its document as the runtime takes it.

    `content` is what callers may set, as JSON, and `document` the same as the linter takes it; `born` tells the view
    from others of its name, gone or to come.
    """

    view: FeatureView
    content: Json
    document: Document
    declared: Declared[FeatureView]
    born: str
    created: datetime

    @property
    def name(self) -> str:
        """The resource name."""
        return self.view.name or ""


class Views:
    """The views of a service by name, as the documents of a catalog declare them and as requests change them."""

    def __init__(self, catalog: Catalog, now: datetime) -> None:
        self._catalog = catalog
        self._changes = 0
        self._entries: dict[str, Entry] = {}
        for declared in catalog.views:
            name = declared.node.name
            if name and name not in self._entries and fits(name, pattern=NAME_FORMAT):
                self.put(name, content_of(declared.node), now, declared=declared)

    def __iter__(self) -> Iterator[Entry]:
        return iter([*self._entries.values()])

    @property
    def catalog(self) -> Catalog:
        """The catalog with the views as they are now."""
        return replace(self._catalog, views=[entry.declared for entry in self])

    def get(self, name: str, *, field: str = "name") -> Entry:
        """The view of a name. Raises INVALID_ARGUMENT, and NOT_FOUND that says whether store or view is missing."""
        return found(name, self._entries, KIND, field=field, require_parent=self._require_store)

    def under(self, parent: str) -> list[Entry]:
        """The views under a store."""
        return [entry for entry in self if parent_of(entry.name) == parent]

    def has(self, entry: Entry) -> bool:
        """Whether a view is still there, and not another one of its name."""
        now = self._entries.get(entry.name)
        return now is not None and now.born == entry.born

    def require_parent(self, parent: str) -> None:
        """Refuse a parent that is no name of a store, or a store that the workspace does not declare."""
        require_name(parent, pattern=KIND.parent_format, field="parent")
        self._require_store(parent)

    def require_free(self, name: str) -> None:
        """Refuse a name that a view has already. Raises ALREADY_EXISTS."""
        require_free(name, self._entries, KIND)

    def put(self, name: str, content: Json, now: datetime, *, declared: Declared[FeatureView] | None = None) -> Entry:
        """Add a view, or put its new content in place of the old; the service sets the output-only fields."""
        before = self._entries.get(name)
        self._changes += 1
        created = before.created if before else now
        outputs: Json = {
            "name": name,
            "createTime": z_form(created),
            "updateTime": z_form(now),
            "etag": etag_of([name, content], change=self._changes),
        }
        if content.get("serviceAgentType") == "SERVICE_AGENT_TYPE_FEATURE_VIEW":
            outputs["serviceAccountEmail"] = account_of(name)
        view = cast("FeatureView", fit({**content, **outputs}, FeatureView).node)
        born = before.born if before else f"{self._changes}@{z_form(now)}"
        entry = Entry(view, content, document(KIND.name, name, content), declared or _declared(view), born, created)
        self._entries[name] = entry
        return entry

    def remove(self, name: str) -> None:
        """Forget a view."""
        self._entries.pop(name, None)

    def _require_store(self, parent: str) -> None:
        if self._catalog.store_of(f"{parent}/featureViews/-") is None:
            raise self._no_store(parent)

    def _no_store(self, parent: str) -> ServiceError:
        names = [store.node.name for store in self._catalog.stores if store.node.name]
        return missing("FeatureOnlineStore", parent, names)


def companions(catalog: Catalog) -> Iterator[Document]:
    """The documents of a catalog that say what there is."""
    yield from declared_documents("FeatureOnlineStore", catalog.stores)
    yield from declared_documents("FeatureGroupTable", catalog.groups)
    yield from declared_documents("Source", catalog.sources)


def _declared(view: FeatureView) -> Declared[FeatureView]:
    """A view that no file declares; its place is the first character of a text that has its name."""
    return Declared(view, view.name or "", "", 0, _first_character)


def _first_character(place: Place) -> Range:
    return Range(Position(1, 1), Position(1, 1))
