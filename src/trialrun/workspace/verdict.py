"""What `trialrun check` says of the documents that a trial run goes by, and of nothing else in their files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.documents import documents
from trialrun.workspace.check import check

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declared import Catalog, Declared
    from trialrun.workspace.check import Request


def about(request: Request, asked: Sequence[Declared[Any]]) -> list[Diagnostic]:
    """The findings in some documents of a workspace, and in their files as wholes, in order."""
    paths = sorted({one.path for one in asked})
    found = check(replace(request, paths=paths)).diagnostics if paths else []
    return [diagnostic for diagnostic in found if any(concerns(diagnostic, one) for one in asked)]


def involved(view: Declared[FeatureView], catalog: Catalog) -> list[Declared[Any]]:
    """The documents that a sync of a view goes by: the view itself, its store, its groups and its sources."""
    store = catalog.store_of(view.node.name or "")
    return [view, *([store] if store else []), *documents(view.node, catalog)]


def concerns(diagnostic: Diagnostic, document: Declared[Any]) -> bool:
    """Whether a finding is in a document, or in the whole of its YAML document."""
    if (diagnostic.path, diagnostic.document) != (document.path, document.document):
        return False
    return not diagnostic.pointer or f"{diagnostic.pointer}/".startswith(f"{document.pointer}/")
