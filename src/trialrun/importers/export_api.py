"""Documents as the JSON of the API: what `import api` reads back as the same documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from trialrun.diagnostic import Path, json_pointer
from trialrun.importers.api import COLLECTIONS, kind_by_name
from trialrun.importers.api_resources import STORE_TYPES
from trialrun.importers.vendor_spelling import VENDOR_FIELDS
from trialrun.lazy_dataclass import dataclass
from trialrun.model.canonical import canonical_form
from trialrun.model.kinds import model_of
from trialrun.model.misfit import Misfit, UnspecifiedEnumValue

if TYPE_CHECKING:
    from trialrun.workspace import CheckRequest

Dialect = Literal["specification", "vendor"]
EXPORTED_KINDS = ("FeatureView", "ChannelConfig", "FeatureOnlineStore")
STORE_MESSAGES = {type_: message for message, type_ in STORE_TYPES.items()}
COLLECTION_OF_KIND = {kind: collection for collection, kind in COLLECTIONS.items()}


@dataclass(frozen=True, slots=True)
class WrittenDocument:
    """A document of a file in canonical form; `problems` are parts that no resource can have."""

    kind: str
    path: str
    value: Mapping[str, Any]
    problems: Sequence[Misfit]

    def problem_messages(self) -> Iterator[str]:
        """Where the problems are, for people."""
        for problem in self.problems:
            yield f"{self.path}: {json_pointer(problem.path) or 'the document'} does not fit a {self.kind}"


@dataclass(frozen=True, slots=True)
class WrittenDocuments:
    """The documents of some files, and the files that cannot be read, or not as a whole."""

    documents: Sequence[WrittenDocument]
    unreadable_paths: Sequence[str]


def read_documents(request: CheckRequest) -> WrittenDocuments:
    """The documents in the paths of a request, in the order of paths and documents. Raises UnknownPath."""
    from trialrun.model.wrapper import resources
    from trialrun.workspace.catalog import parsed_files

    documents: list[WrittenDocument] = []
    unreadable: list[str] = []
    for path, parsed in parsed_files(request, request.paths):
        if parsed is None or any(error.rule not in HARMLESS_ERRORS for error in parsed.errors):
            unreadable.append(path)
            continue
        by_path = request.profiles.kind_by_glob(path)
        for document in parsed.documents:
            for kind, root, value in resources(document.value, by_path=by_path):
                documents.append(_written_document(kind, path, root, value))
    return WrittenDocuments(documents, unreadable)


HARMLESS_ERRORS = frozenset({"ambiguous-scalar", "tagged-value"})
"""What the parser reports of values that it has read."""


def _written_document(kind: str, path: str, root: Path, value: Mapping[str, Any]) -> WrittenDocument:
    form = canonical_form(value, model_of(kind))
    problems = [misfit for misfit in form.misfits if not isinstance(misfit, UnspecifiedEnumValue)]
    return WrittenDocument(kind, path, form.value, problems)


def api_json(documents: Sequence[tuple[str, Mapping[str, Any]]], dialect: Dialect) -> dict[str, Any]:
    """Documents in canonical form, each with its kind, as an answer of the API: one resource itself, several in lists.

    A single resource whose name does not say its kind is in a list, too.
    """
    exported = [(kind, _resource(kind, value, dialect)) for kind, value in documents]
    if len(exported) == 1 and kind_by_name(exported[0][1]) == exported[0][0]:
        return exported[0][1]
    kinds = [kind for kind in EXPORTED_KINDS if any(kind == exported_kind for exported_kind, _ in exported)]
    return {
        COLLECTION_OF_KIND[kind]: [resource for exported_kind, resource in exported if exported_kind == kind]
        for kind in kinds
    }


def _resource(kind: str, value: Mapping[str, Any], dialect: Dialect) -> dict[str, Any]:
    fields = {name: part for name, part in value.items() if name != "kind"}
    if kind == "FeatureOnlineStore":
        message = STORE_MESSAGES.get(str(fields.pop("type", "")))
        return {**fields, message: {}} if message else fields
    if kind == "FeatureView" and dialect == "vendor":
        return {VENDOR_FIELDS.get(name, name): part for name, part in fields.items()}
    return fields
