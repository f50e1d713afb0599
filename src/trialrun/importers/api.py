"""Answers of the API: resources as get and list calls return them, one by one, in lists and in pages of lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trialrun.importers.api_resources import feature, feature_group, feature_view, online_store, resource_name
from trialrun.importers.draft import complete
from trialrun.importers.feature_groups import FeatureGroups
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import Draft, Imported, ImportedDocument, ImportOptions, InputPlace, Note
from trialrun.importers.repeated_keys import repeated_key_notes
from trialrun.importers.vendor_spelling import FIELD_BY_SPELLING
from trialrun.lazy_dataclass import dataclass
from trialrun.model.kinds import kind_of
from trialrun.model.wrapper import LIST_KEYS, SINGLE_KEYS
from trialrun.values.suggest import snake_case

COLLECTIONS = {
    "featureViews": "FeatureView",
    "channelConfigs": "ChannelConfig",
    "featureOnlineStores": "FeatureOnlineStore",
    "featureGroups": "FeatureGroup",
    "features": "Feature",
}
"""The kinds of resources of the API by the collection in their names, which is also the key of their lists."""
LISTS = {**COLLECTIONS, **{snake_case(key): kind for key, kind in COLLECTIONS.items()}, **LIST_KEYS}
NAME = re.compile(r"(?:^|/)(" + "|".join(COLLECTIONS) + r")/[^/]*\Z")
PAGE_TOKENS = ("nextPageToken", "next_page_token")
MAX_DEPTH = 4
"""Lists and wrappers around a resource."""


@dataclass(frozen=True, slots=True)
class ApiResource:
    """A resource of an answer: its kind in the API, None if it is none of ours, and its place."""

    kind: str | None
    value: Any
    place: InputPlace


def import_api(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The documents of answers of the API. Raises InputError."""
    documents: list[ImportedDocument] = []
    notes: list[Note] = []
    groups = FeatureGroups()
    for file in files:
        notes += repeated_key_notes(file)
        for resource in _resources_of(file, notes):
            _import_resource(resource, groups, documents, notes)
    for draft in groups.drafts(notes):
        document, further = complete(draft)
        documents.append(document)
        notes += further
    return Imported(documents, notes)


def is_api(file: InputFile) -> bool:
    """Whether a file is an answer of the API: whether a resource of it has the name of one, or the form of one."""
    return any(resource.kind and not _is_of_feast(resource.value) for resource in _resources_of(file, []))


def _is_of_feast(value: Any) -> bool:
    """Whether a resource in `featureViews` is one of Feast, whose name is in a specification."""
    return isinstance(value, Mapping) and isinstance(value.get("spec"), Mapping) and kind_by_name(value) is None


def _resources_of(file: InputFile, notes: list[Note]) -> Iterator[ApiResource]:
    for number, value in enumerate(file.parsed.documents):
        yield from _search(value, InputPlace(file.name, document=number), None, MAX_DEPTH, notes)


def _search(value: Any, place: InputPlace, kind: str | None, depth: int, notes: list[Note]) -> Iterator[ApiResource]:
    """The resources in a value; `kind` is that of the list or wrapper that it is in."""
    if isinstance(value, list) and depth:
        for index, item in enumerate(value):
            yield from _search(item, place.below(index), kind, depth - 1, notes)
        return
    wrapped = list(_wrapped(value)) if isinstance(value, Mapping) and depth and kind_by_name(value) is None else []
    if not wrapped:
        yield ApiResource(_kind(value, kind), value, place)
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


def _import_resource(
    resource: ApiResource, groups: FeatureGroups, documents: list[ImportedDocument], notes: list[Note]
) -> None:
    """Add the document of a resource; feature groups are collected, since their features may come later."""
    match resource.kind:
        case "FeatureGroup":
            groups.add_group(feature_group(resource.value, resource.place, notes))
        case "Feature":
            groups.add_feature(feature(resource.value, resource.place, notes))
        case None:
            notes.append(Note("dropped", "what is no resource of a kind that is imported", resource.place))
        case _:
            document, further = complete(_draft(resource, notes))
            documents.append(document)
            notes += further


def _draft(resource: ApiResource, notes: list[Note]) -> Draft:
    match resource.kind:
        case "FeatureView":
            return feature_view(resource.value, resource.place, notes)
        case "FeatureOnlineStore":
            return online_store(resource.value, resource.place, notes)
    return Draft("ChannelConfig", resource_name(resource.value), resource.value, {(): resource.place})
