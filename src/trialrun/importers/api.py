"""Answers of the API as documents, and documents as answers of the API.

Get and list calls return resources one by one, in lists and in pages of lists.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from trialrun.diagnostic import Path, json_pointer
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import (
    MAX_FIELD_NOTES,
    GroupFeature,
    Imported,
    ImportedDocument,
    ImportOptions,
    InputPlace,
    Note,
    complete,
    join_features,
    repeated_key_notes,
)
from trialrun.model.canonical import CanonicalForm
from trialrun.model.kinds import kind_of, model_of
from trialrun.model.misfit import Misfit, UnspecifiedEnumValue, WrongType
from trialrun.model.wrapper import LIST_KEYS, SINGLE_KEYS
from trialrun.terraform import Unknown
from trialrun.values.resource_name import has_stand_in
from trialrun.values.suggest import snake_case

if TYPE_CHECKING:
    from trialrun.workspace import CheckRequest


VENDOR_FIELDS: Mapping[str, str] = {
    "warehouseSource": "bigQuerySource",
    "ragSource": "vertexRagSource",
    "kvStoreMetadata": "bigtableMetadata",
}
"""The spelling in the real API of fields of a FeatureView."""
FIELD_BY_SPELLING: Mapping[str, str] = {
    spelling: name for name, vendor in VENDOR_FIELDS.items() for spelling in (vendor, snake_case(vendor))
}
"""The field of a FeatureView by its spelling in the real API, in camelCase or snake_case."""


class Fields:
    """The fields of a message of the API, by either spelling; `place` is that of the message."""

    def __init__(self, value: Any, place: InputPlace) -> None:
        self._value: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
        self.place = place
        self._read: set[str] = set()

    def get(self, name: str) -> tuple[Any, InputPlace] | None:
        """The value of a field and its place; None if it is unset."""
        for key in dict.fromkeys((name, snake_case(name))):
            self._read.add(key)
            if self._value.get(key) is not None:
                return self._value[key], self.place.below(key)
        return None

    def message(self, name: str) -> Fields:
        """The message in a field; an empty one if it is unset."""
        value, place = self.get(name) or ({}, self.place)
        return Fields(value, place)

    def drop_others(self, notes: list[Note]) -> None:
        """Note the fields that nobody asked for."""
        others = [key for key in self._value if key not in self._read]
        for key in others[:MAX_FIELD_NOTES]:
            notes.append(Note("dropped", "a field that is not imported", self.place.below(key)))
        if len(others) > MAX_FIELD_NOTES:
            notes.append(Note("dropped", f"{len(others) - MAX_FIELD_NOTES:,} further fields", self.place))


def resource_name(value: Mapping[str, Any]) -> str:
    """The name of a resource; empty if it has none."""
    name = value.get("name")
    return name if isinstance(name, str) else ""


def feature_view(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> ImportedDocument:
    """A FeatureView, with the vendor's spellings replaced."""
    fields: dict[str, Any] = {}
    places: dict[Path, InputPlace] = {(): place}
    for key, part in value.items():
        name = FIELD_BY_SPELLING.get(key, key)
        if name != key and (name in value or name in fields):
            message = f"{name}, which is there in two spellings; the first counts"
            notes.append(Note("dropped", message, place.below(key)))
            continue
        fields[name] = part
        if name != key:
            places[(name,)] = place.below(key)
    return ImportedDocument("FeatureView", resource_name(value), fields, places)


def online_store(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> ImportedDocument:
    """A FeatureOnlineStore, whose type is the message that it has."""
    fields = Fields(value, place)
    draft: dict[str, Any] = {}
    places: dict[Path, InputPlace] = {(): place}
    _copy(fields, {"name": "name"}, draft, places)
    types = {type_: found for key, type_ in STORE_TYPES.items() if (found := fields.get(key)) is not None}
    if len(types) == 1:
        type_, (_, type_place) = next(iter(types.items()))
        draft["type"], places[("type",)] = type_, type_place
    else:
        message = "the type of the online store, which has neither bigtable nor optimized, or both"
        notes.append(Note("unresolved", message, place))
    fields.drop_others(notes)
    return ImportedDocument("FeatureOnlineStore", resource_name(value), draft, places)


STORE_TYPES = {"bigtable": "KEY_VALUE", "optimized": "OPTIMIZED"}


def feature_group(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> ImportedDocument:
    """A FeatureGroup, as a FeatureGroupTable without features."""
    fields = Fields(value, place)
    name = resource_name(value)
    fields.get("name")
    group_id, name_place = name.rpartition("/")[2], place.below("name")
    draft: dict[str, Any] = {"name": group_id, "featureGroupId": group_id}
    places: dict[Path, InputPlace] = {(): place, ("name",): name_place, ("featureGroupId",): name_place}
    project = name.split("/")[1:2]
    if project and project[0].isascii() and project[0].isdecimal():
        draft["projectNumber"], places[("projectNumber",)] = project[0], name_place
    table = fields.message("bigQuery")
    _copy(table.message("bigQuerySource"), {"inputUri": "uri"}, draft, places)
    _copy(table, {"entityIdColumns": "entityIdColumns", "dense": "dense"}, draft, places)
    _copy(table.message("timeSeries"), {"timestampColumn": "timestampColumn"}, draft, places)
    table.drop_others(notes)
    fields.drop_others(notes)
    return ImportedDocument("FeatureGroupTable", name, draft, places)


def feature(value: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> GroupFeature:
    """A feature of a feature group."""
    fields = Fields(value, place)
    name = resource_name(value)
    fields.get("name")
    feature_id = name.rpartition("/")[2]
    entry: dict[str, Any] = {"id": feature_id}
    column = fields.get("versionColumnName")
    if column is not None and column[0] != feature_id:
        entry["column"] = column[0]
    fields.drop_others(notes)
    return name.rpartition("/features/")[0], entry, place


def _copy(fields: Fields, names: Mapping[str, str], draft: dict[str, Any], places: dict[Path, InputPlace]) -> None:
    """Copy the fields that are set, under the names of our model."""
    for vendor, name in names.items():
        found = fields.get(vendor)
        if found is not None:
            draft[name], places[(name,)] = found


COLLECTIONS = {
    "featureViews": "FeatureView", "channelConfigs": "ChannelConfig", "featureOnlineStores": "FeatureOnlineStore",
    "featureGroups": "FeatureGroup", "features": "Feature",
}  # fmt: skip
"""The kinds of resources of the API by the collection in their names, which is also the key of their lists."""
LISTS = {**COLLECTIONS, **{snake_case(key): kind for key, kind in COLLECTIONS.items()}, **LIST_KEYS}
NAME = re.compile(r"(?:^|/)(" + "|".join(COLLECTIONS) + r")/[^/]*\Z")
PAGE_TOKENS = ("nextPageToken", "next_page_token")
MAX_DEPTH = 4
"""Lists and wrappers around a resource."""


ApiResource = tuple[str | None, Any, InputPlace]
"""A resource of an answer: its kind in the API, None if it is none of ours, its value and its place."""


def import_api(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The documents of answers of the API. Raises InputError."""
    notes: list[Note] = []
    return complete(_drafts(files, notes), notes)


def _drafts(files: Sequence[InputFile], notes: list[Note]) -> Iterator[ImportedDocument]:
    """The resources of files; feature groups come last, since their features may come later."""
    groups: list[ImportedDocument] = []
    features: list[GroupFeature] = []
    for file in files:
        notes += repeated_key_notes(file)
        for kind, value, place in _resources_of(file, notes):
            match kind:
                case "FeatureGroup":
                    groups.append(feature_group(value, place, notes))
                case "Feature":
                    features.append(feature(value, place, notes))
                case "FeatureView":
                    yield feature_view(value, place, notes)
                case "FeatureOnlineStore":
                    yield online_store(value, place, notes)
                case "ChannelConfig":
                    yield ImportedDocument("ChannelConfig", resource_name(value), value, {(): place})
                case _:
                    notes.append(Note("dropped", "what is no resource of a kind that is imported", place))
    yield from join_features(groups, features, notes)


def is_api(file: InputFile) -> bool:
    """Whether a file is an answer of the API: whether a resource of it has the name of one, or the form of one."""
    for kind, value, _ in _resources_of(file, []):
        # a resource in `featureViews` whose name is in a specification is one of Feast
        is_of_feast = isinstance(value, Mapping) and isinstance(value.get("spec"), Mapping) and not kind_by_name(value)
        if kind and not is_of_feast:
            return True
    return False


def _resources_of(file: InputFile, notes: list[Note]) -> Iterator[ApiResource]:
    for number, value in enumerate(file.documents):
        yield from _search(value, InputPlace(file.name, document=number), None, MAX_DEPTH, notes)


def _search(value: Any, place: InputPlace, kind: str | None, depth: int, notes: list[Note]) -> Iterator[ApiResource]:
    """The resources in a value; `kind` is that of the list or wrapper that it is in."""
    if isinstance(value, list) and depth:
        for index, item in enumerate(value):
            yield from _search(item, place.below(index), kind, depth - 1, notes)
        return
    wrapped = list(_wrapped(value)) if isinstance(value, Mapping) and depth and kind_by_name(value) is None else []
    if not wrapped:
        yield _kind(value, kind), value, place
        return
    for key, inner_kind in wrapped:
        yield from _search(value[key], place.below(key), inner_kind, depth - 1, notes)
    if value.get("unreachable"):
        message = "the resources of locations that the list did not reach; import them too"
        notes.append(Note("unresolved", message, place.below("unreachable")))
    for key in PAGE_TOKENS:
        if value.get(key):
            notes.append(Note("unresolved", "the further pages of the list; import them too", place.below(key)))


def _wrapped(value: Mapping[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The keys of a mapping that hold resources, with the kind that each says."""
    for key in value:
        if key in LISTS and isinstance(value[key], list):
            yield key, LISTS[key]
        elif key in SINGLE_KEYS and isinstance(value[key], Mapping):
            yield key, SINGLE_KEYS[key]
        elif isinstance(value[key], {"resources": list, "response": Mapping}.get(key, ())):
            yield key, None


def _kind(value: Any, by_wrapper: str | None) -> str | None:
    if not isinstance(value, Mapping):
        return None
    if (kind := kind_by_name(value) or by_wrapper) is not None:
        return kind
    if not FIELD_BY_SPELLING.keys().isdisjoint(value):
        return "FeatureView"
    kind = kind_of(value)
    return kind if kind in COLLECTIONS.values() else None


def kind_by_name(value: Mapping[str, Any]) -> str | None:
    """The kind that the name of a resource says."""
    match = NAME.search(resource_name(value))
    return COLLECTIONS[match[1]] if match else None


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
        if has_stand_in(str(self.value.get("name", ""))):
            yield f"{self.path}: a part of its name is known to Terraform alone; import a plan of it"
        for problem in self.problems:
            unknown = problem.value if isinstance(problem, WrongType) else None
            if isinstance(unknown, Unknown):
                yield f"{self.path}: {unknown.words}; import a plan of it"
            else:
                yield f"{self.path}: {json_pointer(problem.path) or 'the document'} does not fit a {self.kind}"


def read_documents(request: CheckRequest) -> tuple[Sequence[WrittenDocument], Sequence[str]]:
    """The documents in the paths of a request, in order, and the files that cannot be read, or not as a whole.

    Raises UnknownPath.
    """
    from trialrun.model.wrapper import resources
    from trialrun.workspace.catalog import parsed_files

    documents: list[WrittenDocument] = []
    unreadable: list[str] = []
    for path, _, parsed in parsed_files(request, request.paths):
        if parsed is None or any(error.rule not in HARMLESS_ERRORS for error in parsed.errors):
            unreadable.append(path)
            continue
        by_path = request.profiles.kind_by_glob(path)
        for document in parsed.documents:
            for kind, _, value in resources(document.value, by_path=by_path):
                form = CanonicalForm(value, model_of(kind))
                problems = [misfit for misfit in form.misfits if not isinstance(misfit, UnspecifiedEnumValue)]
                documents.append(WrittenDocument(kind, path, form.value, problems))
    return documents, unreadable


HARMLESS_ERRORS = frozenset({"ambiguous-scalar", "tagged-value"})
"""What the parser reports of values that it has read."""


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
