"""What a workspace declares, as the runtime asks for it: views, stores, feature groups and sources by their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Generic, TypeVar

from trialrun.diagnostic import Place, Range
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node
from trialrun.values.resource_name import is_same, last_id

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable, FeatureOnlineStore, Source
    from trialrun.model.feature_view import FeatureView

Kind = TypeVar("Kind", bound=Node, covariant=True)


@dataclass(frozen=True)
class Declared(Generic[Kind]):
    """A document of the workspace: its model, the path of its file as a person writes it, and where its parts stand.

    `folder` is the absolute folder of the file, which globs and paths in the document are relative to. `locate` gives
    the lines and columns of a place of the model. `pointer` leads from the root of the YAML document to the resource,
    which it may be a list of.
    """

    node: Kind
    path: str
    folder: str
    document: int
    locate: Callable[[Place], Range] = field(compare=False)
    pointer: str = ""

    def line(self, *steps: str | int) -> int:
        """The line, from 1, of what the steps lead to."""
        return self.locate(Place(self.node, steps)).start.line


class NotDeclared(LookupError):
    """The workspace declares no document of this name, or several; `known` are the names that there are."""

    def __init__(self, message: str, *, known: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.known = known


@dataclass(frozen=True)
class Catalog:
    """The documents of a workspace that a FeatureView's trial run needs, in the order of path and document.

    `troubled` are the paths of files of which a part that may be among these could not be read.
    """

    views: Sequence[Declared[FeatureView]] = ()
    stores: Sequence[Declared[FeatureOnlineStore]] = ()
    groups: Sequence[Declared[FeatureGroupTable]] = ()
    sources: Sequence[Declared[Source]] = ()
    troubled: Sequence[str] = ()

    def view(self, name: str) -> Declared[FeatureView]:
        """The view of a resource name, or of the end of one. Raises NotDeclared."""
        return _one(name, self.views, "view")

    def store_of(self, view: str) -> Declared[FeatureOnlineStore] | None:
        """The store that a view of this name is under, None where the workspace declares none such."""
        parent = view.rpartition("/featureViews/")[0]
        exact = [one for one in self.stores if one.node.name == parent]
        by_id = [one for one in self.stores if one.node.name and one.node.name == last_id(parent)]
        return next(iter(exact or by_id), None)

    def source(self, uri: str) -> Declared[Source] | None:
        """The source that says where the rows of a uri are; the first one where several do."""
        return next((one for one in self.sources if one.node.uri == uri), None)

    def group(self, feature_group_id: str, project_number: int | None) -> Declared[FeatureGroupTable] | None:
        """The table of a feature group, of the project where both name one."""
        for one in self.groups:
            if one.node.featureGroupId == feature_group_id and (
                None in (project_number, one.node.projectNumber) or one.node.projectNumber == project_number
            ):
                return one
        return None


def _one(name: str, declared: Iterable[Declared[FeatureView]], what: str) -> Declared[FeatureView]:
    named = [(one.node.name, one) for one in declared if one.node.name]
    found = [one for full, one in named if full == name] or [one for full, one in named if is_same(full, name)]
    names = [known for full, _ in named for known in (full, last_id(full))]
    if not found:
        raise NotDeclared(f'there is no {what} "{name}"', known=names)
    if len(found) > 1:
        places = ", ".join(f"{one.path}:{one.line('name')}" for one in found)
        several = f'{len(found)} {what}s are named "{name}": {places}'
        raise NotDeclared(f"{several}; write the whole resource name", known=names)
    return found[0]
