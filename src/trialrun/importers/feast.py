"""Feast: the views of `feast registry-dump`, as feature groups over tables, Sources with columns, and FeatureViews."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import (
    Imported,
    ImportedDocument,
    ImportOptions,
    InputPlace,
    Note,
    complete,
    repeated_key_notes,
)
from trialrun.values.suggest import snake_case

VIEW_LISTS = ("featureViews", "streamFeatureViews")
OTHER_LISTS = (
    "onDemandFeatureViews", "featureServices", "savedDatasets", "validationReferences", "labelViews", "permissions",
)  # fmt: skip
SPEC_FIELDS = (
    "name", "entities", "entityColumns", "features", "batchSource", "tags", "online", "project", "streamSource",
)  # fmt: skip
MAPS = ("tags", "fieldMapping")
"""Fields whose keys are values."""
SOURCE_FIELDS = (
    "name", "type", "timestampField", "fieldMapping", "fileOptions", "project", "dataSourceClassType", "batchSource",
)  # fmt: skip
UNSET: tuple[Any, ...] = (None, "", "0s", [], {}, False, 0)
TYPES = {
    "BYTES": "BYTES", "STRING": "STRING", "INT32": "INT64", "INT64": "INT64", "DOUBLE": "FLOAT64", "FLOAT": "FLOAT64",
    "BOOL": "BOOL", "UNIX_TIMESTAMP": "TIMESTAMP",
}  # fmt: skip
DISTANCES = {"L2": "SQUARED_L2_DISTANCE", "COSINE": "COSINE_DISTANCE", "DOT": "DOT_PRODUCT_DISTANCE",
             "IP": "DOT_PRODUCT_DISTANCE", "INNER_PRODUCT": "DOT_PRODUCT_DISTANCE"}  # fmt: skip
TABLE_OPTIONS = {
    "bigqueryOptions": ("bq", ("table",)),
    "snowflakeOptions": ("snowflake", ("database", "schema", "table")),
    "redshiftOptions": ("redshift", ("database", "schema", "table")),
}
NOT_ONLINE = "the serving of a view that is not online; its feature group is there"
NAME_OPTIONS = {"project": "--project", "location": "--location", "featureOnlineStore": "--online-store"}
OTHER_TYPE = "the type of a column that another view of the table has with another one"
DUMMY_ENTITY = "__dummy"
IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]{0,60}\Z")


@dataclass(frozen=True)
class FeastView:
    """A view of a registry: its specification, its place, and the join keys of the entities of the registry."""

    spec: Mapping[str, Any]
    place: InputPlace
    join_keys: Mapping[str, str]
    key_types: Mapping[str, Mapping[str, Any]]
    """Type and mode of each join key, as far as its entity has them."""

    @cached_property
    def column_of(self) -> dict[str, str]:
        """The columns of the table that have other names in Feast: of features, join keys and the timestamp."""
        mapping = _mapping(_mapping(self.spec.get("batchSource")).get("fieldMapping"))
        return {_text(name): column for column, name in mapping.items()}

    @property
    def timestamp(self) -> str:
        """The column of the table that has the timestamps; empty if there is none."""
        name = _text(_mapping(self.spec.get("batchSource")).get("timestampField"))
        return name and self.column_of.get(name, name)

    @property
    def name(self) -> str:
        """The name of the view; empty if it has none."""
        return _text(self.spec.get("name"))

    @property
    def features(self) -> list[tuple[Mapping[str, Any], InputPlace]]:
        """The features that have a name, each with its place."""
        entries = enumerate(_list(self.spec.get("features")))
        return [(each, self.place.below("features", at)) for at, each in entries if _text(_mapping(each).get("name"))]


def import_feast(files: Sequence[InputFile], options: ImportOptions) -> Imported:
    """The documents of dumps of registries. Raises InputError."""
    documents: list[ImportedDocument] = []
    notes: list[Note] = []
    for file in files:
        notes += repeated_key_notes(file)
        for number, value in enumerate(file.documents):
            registry = _in_camel_case(value)
            place = InputPlace(file.name, document=number)
            found: list[Note] = []
            drafts = list(_registry_drafts(registry, place, options, found) if isinstance(registry, Mapping) else ())
            for draft in drafts:
                places = {path: _as_given(value, place) for path, place in draft.places.items()}
                documents += complete([replace(draft, places=places)], notes).documents
            notes += [replace(note, place=_as_given(value, note.place)) for note in found]
    return Imported(documents, notes)


def is_feast(file: InputFile) -> bool:
    """Whether a file is a dump of a registry: a project, and resources with a specification."""
    for value in file.documents:
        keys = (*VIEW_LISTS, *map(snake_case, VIEW_LISTS), "entities") if isinstance(value, Mapping) else ()
        first = next((value[key] for key in keys if isinstance(value.get(key), list)), ())
        if any(isinstance(item, Mapping) and isinstance(item.get("spec"), Mapping) for item in first):
            return True
    return False


def _in_camel_case(value: Any) -> Any:
    """A registry with the names of its fields in camelCase; those of tags and columns are values."""
    if isinstance(value, list):
        return [_in_camel_case(item) for item in value]
    if not isinstance(value, Mapping):
        return value
    names = {key: re.sub(r"(?<=[a-z0-9])_([a-z])", lambda match: match[1].upper(), key) for key in value}
    return {names[key]: part if names[key] in MAPS else _in_camel_case(part) for key, part in value.items()}


def _as_given(registry: Any, place: InputPlace) -> InputPlace:
    """A place of a registry in camelCase, in the spelling of the input."""
    path: list[str | int] = []
    value = registry
    for step in place.path:
        if isinstance(value, Mapping) and step not in value and snake_case(str(step)) in value:
            step = snake_case(str(step))
        is_there = isinstance(value, list) if isinstance(step, int) else isinstance(value, Mapping) and step in value
        path.append(step)
        value = value[step] if is_there else None
    return replace(place, path=tuple(path))


def _registry_drafts(
    registry: Mapping[str, Any], place: InputPlace, options: ImportOptions, notes: list[Note]
) -> Iterator[ImportedDocument]:
    sources: dict[str, ImportedDocument] = {}
    columns_of: dict[str, dict[str, dict[str, Any]]] = {}
    for view in _views(registry, place, notes):
        group, columns, uri = feature_group(view, notes)
        yield group
        if uri:
            source = _source(view, uri, notes)
            sources.setdefault(uri, source)
            known = columns_of.setdefault(uri, {})  # those of all its views; the first with a type counts
            known |= {name: column for name, column in columns.items() if "type" not in known.get(name, ())}
            if any("type" in column and column != known[name] for name, column in columns.items()):
                notes.append(Note("dropped", OTHER_TYPE, view.place))
        if view.spec.get("online") is True:
            yield feature_view(view, options, notes)
        else:
            notes.append(Note("dropped", NOT_ONLINE, view.place))
    for uri, source in sources.items():
        yield replace(source, value={**source.value, "columns": list(columns_of[uri].values())})
    for key in OTHER_LISTS:
        for index, _ in enumerate(_list(registry.get(key))):
            notes.append(Note("dropped", f"an entry of {key}, which documents do not have", place.below(key, index)))


def _views(registry: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> Iterator[FeastView]:
    specs = [_mapping(_mapping(entity).get("spec")) for entity in _list(registry.get("entities"))]
    join_keys = {_text(spec.get("name")): _text(spec.get("joinKey")) or _text(spec.get("name")) for spec in specs}
    key_types = {join_keys[_text(spec.get("name"))]: _column_type(spec) for spec in specs}
    for key in VIEW_LISTS:
        for index, item in enumerate(_list(registry.get(key))):
            spec, spec_place = _mapping(_mapping(item).get("spec")), place.below(key, index, "spec")
            view = FeastView(spec, spec_place, join_keys, key_types)
            if view.name:
                yield view
            else:
                notes.append(Note("dropped", "a view without a name", spec_place))


def feature_group(view: FeastView, notes: list[Note]) -> tuple[ImportedDocument, dict[str, dict[str, Any]], str | None]:
    """The feature group of a view, the columns of its table by name, and the uri of the table."""
    source, place = _mapping(view.spec.get("batchSource")), view.place.below("batchSource")
    uri = _table_uri(source, place, notes)
    keys, columns = _entity_columns(view, notes)
    timestamp = view.timestamp
    if timestamp:
        columns.setdefault(timestamp, {"name": timestamp, "type": "TIMESTAMP"})
    places: dict[Path, InputPlace] = {(): view.place, ("uri",): place}
    features = _features(view, columns, places)
    value = {
        "name": view.name,
        "featureGroupId": view.name,
        "uri": uri,
        "entityIdColumns": keys or None,
        "timestampColumn": timestamp or None,
        "features": features or None,
    }
    _note_others(view, source, notes)
    return (
        ImportedDocument("FeatureGroupTable", f"featureGroups/{view.name}", value, places, is_reshaped=True),
        columns,
        uri,
    )


def _features(
    view: FeastView, columns: dict[str, dict[str, Any]], places: dict[Path, InputPlace]
) -> list[dict[str, Any]]:
    """The features of a view; adds their columns and places."""
    features: list[dict[str, Any]] = []
    column_of = view.column_of
    for feature, place in view.features:
        name = _text(feature.get("name"))
        column = column_of.get(name, name)
        places[("features", len(features))] = place
        features.append({"id": name, **({"column": column} if column != name else {})})
        columns.setdefault(column, {"name": column, **_column_type(feature)})
    return features


def _entity_columns(view: FeastView, notes: list[Note]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """The columns of the entity id, and their types as far as the registry has them."""
    declared = [_mapping(column) for column in _list(view.spec.get("entityColumns"))]
    types = {_text(column.get("name")): type for column in declared if (type := _column_type(column))}
    names = [_text(name) for name in _list(view.spec.get("entities"))]
    if not names or DUMMY_ENTITY in names:
        notes.append(Note("unresolved", "the entity id of a view without entities", view.place))
        return [], {}
    if not view.join_keys.keys() >= set(names):
        notes.append(Note("guessed", "the join key of an entity that is not in the input: its name", view.place))
    keys = [view.join_keys.get(name, name) for name in names]
    columns = {key: view.column_of.get(key, key) for key in keys}
    return [columns[key] for key in keys], {
        column: {"name": column, **(types.get(key) or view.key_types.get(key, {}))} for key, column in columns.items()
    }


def _column_type(column: Mapping[str, Any]) -> dict[str, Any]:
    """Type and mode of a column, if it has a type; one that we do not know keeps its name."""
    word = _text(column.get("valueType"))
    if word in ("", "INVALID"):
        return {}
    for suffix in ("_LIST", "_SET"):
        if word.endswith(suffix):
            item = word.removesuffix(suffix)
            return {"type": TYPES.get(item, item), "mode": "REPEATED"}
    return {"type": TYPES.get(word, word)}


def _table_uri(source: Mapping[str, Any], place: InputPlace, notes: list[Note]) -> str | None:
    """The uri of the table of a source; a note for one that is not a table."""
    for key, (scheme, names) in TABLE_OPTIONS.items():
        options = _mapping(source.get(key))
        parts = [part for name in names if (part := _text(options.get(name)))]
        if _text(options.get("table")):
            return f"{scheme}://{'.'.join(parts).replace(':', '.')}"
    file = _text(_mapping(source.get("fileOptions")).get("uri"))
    if file:
        return file if "://" in file else f"file://{file}"
    notes.append(Note("unresolved", "the table of a source that is a query or of another kind", place))
    return None


def _source(view: FeastView, uri: str, notes: list[Note]) -> ImportedDocument:
    """The Source of the table of a view, without its columns; that of a file names the file as the registry does."""
    source, place = _mapping(view.spec.get("batchSource")), view.place.below("batchSource")
    name = _text(source.get("name")) or uri.rpartition("/")[2]
    value: dict[str, Any] = {"name": name, "uri": uri}
    if uri.startswith("file://"):
        value["files"] = uri.removeprefix("file://")
        message = "files, which is relative to the feature repository; make it relative to the document"
        notes.append(Note("guessed", message, place.below("fileOptions", "uri")))
    else:
        notes.append(Note("unresolved", "where the rows of the table are; set files, or database and table", place))
    if view.timestamp:
        value["timestampColumn"] = view.timestamp
    return ImportedDocument("Source", uri, value, {(): place}, name, is_reshaped=True)


def feature_view(view: FeastView, options: ImportOptions, notes: list[Note]) -> ImportedDocument:
    """The view that serves all features of a group; its place in the cloud comes from the options."""
    parts = {"project": options.project, "location": options.location, "featureOnlineStore": options.online_store}
    for name, option in NAME_OPTIONS.items():
        if parts[name] is None:
            notes.append(Note("unresolved", f"{name} of a view; give it with {option}", view.place))
    project, location, store = (part or f"{{{name}}}" for name, part in parts.items())
    resource = f"projects/{project}/locations/{location}/featureOnlineStores/{store}/featureViews/{view.name}"
    features = [_text(feature.get("name")) for feature, _ in view.features]
    value: dict[str, Any] = {
        "name": resource,
        "featureRegistrySource": {"featureGroups": [{"featureGroupId": view.name, "featureIds": features}]},
    }
    places: dict[Path, InputPlace] = {(): view.place}
    if isinstance(view.spec.get("tags"), Mapping) and view.spec["tags"]:
        value["labels"], places[("labels",)] = view.spec["tags"], view.place.below("tags")
    _add_index(view, value, places, notes)
    notes.append(Note("unresolved", "the schedule of a view, which Feast does not have; set syncConfig", view.place))
    return ImportedDocument("FeatureView", resource, value, places, is_reshaped=True)


def _add_index(view: FeastView, value: dict[str, Any], places: dict[Path, InputPlace], notes: list[Note]) -> None:
    """The index of the first feature that has one; a view has one index at most."""
    for feature, place in view.features:
        if feature.get("vectorIndex") is not True:
            continue
        if "indexConfig" in value:
            notes.append(Note("dropped", "a second vector index of a view", place))
            continue
        metric, kind = _text(feature.get("vectorSearchMetric")).upper(), _text(feature.get("vectorIndexType")).upper()
        if metric and metric not in DISTANCES:
            message = "a metric that documents do not have; the index ranks by the default one"
            notes.append(Note("unresolved", message, place.below("vectorSearchMetric")))
        if kind not in ("", "FLAT"):
            type_place = place.below("vectorIndexType")
            notes.append(Note("dropped", "vectorIndexType, which documents do not have", type_place))
        length = feature.get("vectorLength")
        if isinstance(length, str) and length.isdecimal() and len(length) < 20:
            length = int(length)
        value["indexConfig"] = {
            "embeddingColumn": _text(feature.get("name")),
            "distanceMeasureType": DISTANCES.get(metric),
            "bruteForceConfig": {} if kind == "FLAT" else None,
            "embeddingDimension": length or None,
        }
        places[("indexConfig",)] = place


def _note_others(view: FeastView, source: Mapping[str, Any], notes: list[Note]) -> None:
    """Note what documents do not have, by the names of the fields of Feast."""
    if len(_list(view.spec.get("features"))) > len(view.features):
        notes.append(Note("dropped", "features without a name", view.place.below("features")))
    for feature, place in view.features:
        if not _column_type(feature):
            notes.append(Note("unresolved", "the type of a feature", place))
        for name in feature:
            is_of_index = name.startswith("vector") and feature.get("vectorIndex") is True
            if name not in ("name", "valueType") and not is_of_index and feature[name] not in UNSET:
                message = f"{_shown(name)} of a feature, which documents do not have"
                notes.append(Note("dropped", message, place.below(name)))
    for name in view.spec:
        if name not in SPEC_FIELDS and name != "version" and view.spec[name] not in UNSET:
            notes.append(Note("dropped", f"{_shown(name)}, which documents do not have", view.place))
    for name in source:
        if name not in (*SOURCE_FIELDS, *TABLE_OPTIONS) and source[name] not in UNSET:
            message = f"{_shown(name)}, which documents do not have"
            notes.append(Note("dropped", message, view.place.below("batchSource", name)))


def _shown(name: str) -> str:
    return name if IDENTIFIER.match(name) else "a field"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
