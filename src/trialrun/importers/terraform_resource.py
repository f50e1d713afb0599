"""A resource of Terraform, how its attributes are read by name, and the resources in the words of our models.

A state holds secrets. What nobody asks for is never looked at, and notes name attributes without their values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from trialrun.diagnostic import Path
from trialrun.importers.interface import (
    MAX_FIELD_NOTES,
    GroupFeature,
    ImportedDocument,
    ImportOptions,
    InputPlace,
    Note,
)

EXPRESSION = "an expression"
"""Why a value of a configuration cannot be taken over: Terraform alone knows what it stands for."""
SENSITIVE = "marked as sensitive"
SEVERAL_RESOURCES = "the resources of a block with count or for_each; import a plan or a state instead"
DATA_SOURCE = "a data source, which reads a resource that is managed elsewhere"
DEFAULT_LABELS = "the default labels of a provider; import a plan or a state to have them"
REPEATING_ARGUMENTS = ("count", "for_each")
META_ARGUMENTS = (*REPEATING_ARGUMENTS, "provider", "depends_on", "lifecycle", "provisioner", "connection", "//")
"""Arguments that every resource of a configuration may have."""
MAX_BLOCKS = 10_000
"""Blocks of one name in a resource."""
MAX_ATTRIBUTE_DEPTH = 10
"""Steps of a path in a resource, of which the attributes that are imported have at most six."""
ATTRIBUTE_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}\Z")


@dataclass(frozen=True, slots=True)
class TerraformResource:
    """A resource: its type, its attributes, and why some of them have no value that can be taken over.

    `holes` has, by path of an attribute, the reason, such as "known only after apply"; blocks are lists of mappings.
    """

    type: str
    values: Mapping[str, Any]
    holes: Mapping[Path, str]
    place_of: Callable[[Path], InputPlace]


class ResourceReader:
    """Reads attributes of a resource by path into the content of a document; what cannot be taken over is noted."""

    def __init__(self, resource: TerraformResource, notes: list[Note]) -> None:
        self.resource = resource
        self.notes = notes
        self.content: dict[str, Any] = {}
        self.places: dict[Path, InputPlace] = {(): resource.place_of(())}
        self._hole_inside: dict[Path, Path] = {}
        for hole in resource.holes:
            for length in range(len(hole)):
                self._hole_inside.setdefault(hole[:length], hole)

    def place(self, path: Path = ()) -> InputPlace:
        """The place of an attribute, or of the resource."""
        return self.resource.place_of(path)

    def value(self, path: Path, *, keep_empty: bool = False) -> Any:
        """The value of an attribute; None if it is unset, which Terraform also writes as an empty text or list."""
        if (hole := self.hole(path)) is not None:
            self.note("unresolved", f"{_name(path)}, which is {self.resource.holes[hole]}", hole)
            return None
        value = self._at(path)
        return None if value in ("", [], {}) and not keep_empty else value

    def keys(self, path: Path) -> list[str]:
        """The keys of an attribute that is a mapping, with those that have no value; notes on one that is none."""
        if path in self.resource.holes:
            self.value(path)
            return []
        value = self._at(path)
        if value is not None and not isinstance(value, Mapping):
            self.note("dropped", f"{_name(path)}, which is not a mapping", path)
        inside = [str(hole[len(path)]) for hole in self.resource.holes if hole[: len(path)] == path != hole]
        return list(dict.fromkeys((*(value if isinstance(value, Mapping) else ()), *inside)))

    def text(self, path: Path) -> str | None:
        """The value of an attribute that is text; what Terraform makes no text of becomes a note."""
        value = to_text(self.value(path))
        if value is None or isinstance(value, str):
            return value
        self.note("dropped", f"{_name(path)}, which is not text", path)
        return None

    def text_if_set(self, path: Path) -> str | None:
        """The value of an attribute that is text, else None without a note."""
        value = to_text(self._at(path))
        return value if isinstance(value, str) and value and self.hole(path) is None else None

    def note_missing(self, path: Path, option: str) -> None:
        """Note an attribute without a value that a name needs; `option` gives it."""
        hole = self.hole(path)
        which = "" if hole is None else f", which is {self.resource.holes[hole]}"
        self.note("unresolved", f"{_name(path)}{which}; give it with {option}", hole or path[:-1])

    def block(self, path: Path) -> Path | None:
        """The path of the one block of a name, which may be empty; None if there is none."""
        blocks = self.blocks(path)
        if len(blocks) > 1:
            self.note("dropped", f"{_name(path)}, of which only the first block counts", blocks[1])
        return blocks[0] if blocks else None

    def blocks(self, path: Path) -> list[Path]:
        """The paths of the blocks of a name."""
        if path in self.resource.holes:
            self.note("unresolved", f"{_name(path)}, which is {self.resource.holes[path]}", path)
            return []
        value = self._at(path)
        if not value and (hole := self._hole_inside.get(path)) is not None:
            self.note("unresolved", f"{_name(hole)}, which is {self.resource.holes[hole]}", hole)
        if isinstance(value, list):
            if len(value) > MAX_BLOCKS:
                self.note("dropped", f"{_name(path)}, of which only {MAX_BLOCKS:,} blocks count", path)
            found = [((*path, index), item) for index, item in enumerate(value[:MAX_BLOCKS])]
        else:
            found = [] if value is None else [(path, value)]
        for block, content in found:
            if content is not None and not isinstance(content, Mapping):
                self.note("dropped", f"{_name(block)}, which is not a block", block)
        return [block for block, _ in found]

    def note_others(self, path: Path, names: Iterable[str]) -> None:
        """Note the attributes at a path that are set and that no name of the table stands for."""
        value = self._at(path)
        values = value if isinstance(value, Mapping) else {}
        others = [name for name in values if name not in names and values[name] not in (None, "", [], {}, False)]
        for name in others[:MAX_FIELD_NOTES]:
            is_plain = ATTRIBUTE_NAME.match(name) is not None
            message = f"{name if is_plain else 'an attribute'}, which documents do not have"
            self.note("dropped", message, (*path, name) if is_plain else path)
        if len(others) > MAX_FIELD_NOTES:
            self.note("dropped", f"{len(others) - MAX_FIELD_NOTES:,} further attributes", path)

    def note(self, kind: Any, message: str, path: Path) -> None:
        """Add a note about an attribute."""
        self.notes.append(Note(kind, message, self.place(path)))

    def _at(self, path: Path) -> Any:
        value: Any = self.resource.values
        for step in path:
            if isinstance(step, int):
                value = value[step] if isinstance(value, list) and step < len(value) else value
            else:
                value = value.get(step) if isinstance(value, Mapping) else None
        return value

    def hole(self, path: Path) -> Path | None:
        """The path of a hole that leaves an attribute without a value: its own, one around it, or one inside of it."""
        for length in range(len(path) + 1):
            if path[:length] in self.resource.holes:
                return path[:length]
        return self._hole_inside.get(path)

    def put(self, target: Path, value: Any, source: Path) -> None:
        """Set a part of the document, with the attribute that it comes from."""
        holder: Any = self.content
        for step in target[:-1]:
            holder = holder[step]
        if isinstance(holder, list):
            holder.append(value)
        else:
            holder[target[-1]] = value
        self.places[target] = self.place(source)

    def copy(self, names: Mapping[str, str], target: Path, source: Path) -> None:
        """Copy the attributes of a block that are set; those that the table does not have become notes."""
        for attribute, name in names.items():
            value = self.value((*source, attribute))
            if value is not None:
                self.put((*target, name), value if attribute in NOT_TEXTS else to_text(value), (*source, attribute))

    def document(self, kind: str, resource: str) -> ImportedDocument:
        """The document that was filled."""
        return ImportedDocument(kind, resource, self.content, self.places)


def to_text(value: Any) -> Any:
    """A number or a boolean as the text that Terraform makes of it where an attribute is text, also in a list."""
    match value:
        case list():
            return [to_text(item) for item in value]
        case bool():
            return str(value).lower()
        case float() if math.isfinite(value):
            return str(int(value)) if value.is_integer() else f"{Decimal(repr(value)):f}"
        case int():
            return str(value)
    return value


def _name(path: Path) -> str:
    return next(str(step) for step in reversed(path) if isinstance(step, str))


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """The paths at which a structure of marks, such as `sensitive_values`, says true.

    A part that is deeper than any attribute counts as a whole, so that marks do not take the square of their depth.
    """
    if value is True or (len(path) == MAX_ATTRIBUTE_DEPTH and value not in (False, None, {}, [])):
        yield path
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*path, index))


SYNC_CONFIG = {"cron": "cron", "continuous": "continuous"}
WAREHOUSE_SOURCE = {"uri": "uri", "entity_id_columns": "entityIdColumns"}
FEATURE_GROUP = {"feature_group_id": "featureGroupId", "feature_ids": "featureIds"}
INDEX_CONFIG = {
    "embedding_column": "embeddingColumn", "filter_columns": "filterColumns", "crowding_column": "crowdingColumn",
    "distance_measure_type": "distanceMeasureType", "embedding_dimension": "embeddingDimension",
}  # fmt: skip
NOT_TEXTS = ("continuous", "embedding_dimension")
"""The attributes that are copied and are no texts to Terraform, which makes texts of the literals of the others."""
TREE_AH_CONFIG = {"leaf_node_embedding_count": "leafNodeEmbeddingCount"}
VIEW_ATTRIBUTES = (
    "name", "feature_online_store", "project", "region", "labels", "terraform_labels", "effective_labels",
    "sync_config", "big_query_source", "feature_registry_source", "vector_search_config",
)  # fmt: skip
LABELS = ("effective_labels", "terraform_labels", "labels")
"""The labels that the service has, that Terraform sets, and that the resource has; the first that are set count."""
OWN_LABEL = "goog-terraform-provisioned"
"""The label by which Terraform marks what it made."""
STORE_TYPES = {"bigtable": "KEY_VALUE", "optimized": "OPTIMIZED"}
ONLINE_STORE_NAME = re.compile(r"projects/[^/]+/locations/[^/]+/featureOnlineStores/[^/]+\Z")
FEATURE_GROUP_NAME = re.compile(r"projects/[^/]+/locations/[^/]+/featureGroups/[^/]+\Z")


def feature_view(reader: ResourceReader, options: ImportOptions) -> ImportedDocument:
    """A view."""
    resource = _view_name(reader, options)
    if resource:
        reader.put(("name",), resource, ("name",))
    _labels(reader)
    _sync_config(reader)
    _index_config(reader, "vectorSearchConfig" if options.faithful else "indexConfig")
    _sources(reader)
    reader.note_others((), VIEW_ATTRIBUTES)
    return reader.document("FeatureView", resource)


def _labels(reader: ResourceReader) -> None:
    """The labels, one by one: one that is unknown or sensitive leaves the others as they are; an empty one counts.

    What is sensitive in one of the attributes is not taken from another.
    """
    keys = {name: reader.keys((name,)) for name in LABELS}
    all_labels = next((name for name in LABELS if keys[name]), "labels")
    sources = {**dict.fromkeys(keys["labels"], "labels"), **dict.fromkeys(keys[all_labels], all_labels)}
    known = [name for name in LABELS if reader.resource.holes.get((name,)) in (None, SENSITIVE)]
    for label, source in sources.items():
        without_value = [(name, label) for name in known if reader.hole((name, label)) is not None]
        if label == OWN_LABEL:
            reader.note("dropped", f"{label}, which Terraform sets on what it makes", (source, label))
        elif without_value:
            if reader.hole(without_value[-1]) != without_value[-1][:1]:
                reader.value(without_value[-1])
        else:
            if "labels" not in reader.content:
                reader.put(("labels",), {}, (source,))
            value = to_text(reader.value((source, label), keep_empty=True))
            reader.put(("labels", label), value, (source, label))


def _sync_config(reader: ResourceReader) -> None:
    """The schedule; Terraform writes `continuous = false` beside each cron."""
    block = reader.block(("sync_config",))
    if block is None:
        return
    reader.put(("syncConfig",), {}, block)
    reader.copy(SYNC_CONFIG, ("syncConfig",), block)
    sync_config = reader.content["syncConfig"]
    if sync_config.get("cron") and sync_config.get("continuous") is False:
        del sync_config["continuous"]
    reader.note_others(block, SYNC_CONFIG)


def _index_config(reader: ResourceReader, name: str) -> None:
    block = reader.block(("vector_search_config",))
    if block is None:
        return
    reader.put((name,), {}, block)
    reader.copy(INDEX_CONFIG, (name,), block)
    if reader.content[name].get("embeddingDimension") == 0:
        del reader.content[name]["embeddingDimension"]
    if (tree := reader.block((*block, "tree_ah_config"))) is not None:
        reader.put((name, "treeAhConfig"), {}, tree)
        reader.copy(TREE_AH_CONFIG, (name, "treeAhConfig"), tree)
        reader.note_others(tree, TREE_AH_CONFIG)
    if (brute_force := reader.block((*block, "brute_force_config"))) is not None:
        reader.put((name, "bruteForceConfig"), {}, brute_force)
        reader.note_others(brute_force, ())
    reader.note_others(block, (*INDEX_CONFIG, "tree_ah_config", "brute_force_config"))


def _sources(reader: ResourceReader) -> None:
    if (block := reader.block(("big_query_source",))) is not None:
        reader.put(("warehouseSource",), {}, block)
        reader.copy(WAREHOUSE_SOURCE, ("warehouseSource",), block)
        reader.note_others(block, WAREHOUSE_SOURCE)
    if (block := reader.block(("feature_registry_source",))) is None:
        return
    name = "featureRegistrySource"
    reader.put((name,), {"featureGroups": []}, block)
    for index, group in enumerate(reader.blocks((*block, "feature_groups"))):
        reader.put((name, "featureGroups", index), {}, group)
        reader.copy(FEATURE_GROUP, (name, "featureGroups", index), group)
        reader.note_others(group, FEATURE_GROUP)
    reader.copy({"project_number": "projectNumber"}, (name,), block)
    reader.note_others(block, ("project_number", "feature_groups"))


def online_store(reader: ResourceReader, options: ImportOptions) -> ImportedDocument:
    """An online store, whose type is the block that it has."""
    resource = _name_in_location(reader, options, "featureOnlineStores", reader.text(("name",)))
    if resource:
        reader.put(("name",), resource, ("name",))
    types = [(type_, block) for name, type_ in STORE_TYPES.items() if (block := reader.block((name,))) is not None]
    if len(types) == 1:
        reader.put(("type",), *types[0])
    else:
        reader.note("unresolved", "the type of the online store, which has neither bigtable nor optimized, or both", ())
    reader.note_others((), ("name", "project", "region", *STORE_TYPES))
    return reader.document("FeatureOnlineStore", resource)


def feature_group(reader: ResourceReader, options: ImportOptions) -> ImportedDocument:
    """A feature group, as a table without features."""
    resource = _name_in_location(reader, options, "featureGroups", reader.text(("name",)))
    group_id, project = resource.rpartition("/")[2], resource.split("/")[1:2]
    if group_id:
        reader.put(("name",), group_id, ("name",))
        reader.put(("featureGroupId",), group_id, ("name",))
    if project and project[0].isascii() and project[0].isdecimal():
        reader.put(("projectNumber",), project[0], ("project",))
    table = reader.block(("big_query",))
    if table is not None:
        reader.copy({"entity_id_columns": "entityIdColumns"}, (), table)
        source = reader.block((*table, "big_query_source"))
        if source is not None:
            reader.copy({"input_uri": "uri"}, (), source)
            reader.note_others(source, ("input_uri",))
        reader.note_others(table, ("entity_id_columns", "big_query_source"))
    reader.note_others((), ("name", "project", "region", "big_query"))
    return reader.document("FeatureGroupTable", resource)


def feature(reader: ResourceReader, options: ImportOptions) -> GroupFeature:
    """A feature of a feature group, by the name of the group or by its id."""
    value: dict[str, Any] = {}
    feature_id = reader.text(("name",))
    if feature_id is not None:
        value["id"] = feature_id
    column = reader.text(("version_column_name",))
    if column is not None and column != feature_id:
        value["column"] = column
    group = reader.text(("feature_group",))
    match = FEATURE_GROUP_NAME.search(group or "")
    parent = match[0] if match else _name_in_location(reader, options, "featureGroups", group)
    reader.note_others((), ("name", "feature_group", "project", "region", "version_column_name"))
    return parent, value, reader.place()


def _view_name(reader: ResourceReader, options: ImportOptions) -> str:
    """The resource name of a view; its store is an id or a full name."""
    view_id = reader.text(("name",))
    if not view_id:
        return ""
    store = _part(reader, "feature_online_store", options.online_store, "--online-store") or "{featureOnlineStore}"
    match = ONLINE_STORE_NAME.search(store)
    parent = match[0] if match else _name_in_location(reader, options, "featureOnlineStores", store)
    return f"{parent}/featureViews/{view_id}"


def _name_in_location(reader: ResourceReader, options: ImportOptions, collection: str, resource_id: str | None) -> str:
    """The name of a resource in a project and a location; empty if it has no id."""
    if not resource_id:
        return ""
    project = _part(reader, "project", options.project, "--project") or "{project}"
    location = _part(reader, "region", options.location, "--location") or "{location}"
    return f"projects/{project}/locations/{location}/{collection}/{resource_id}"


def _part(reader: ResourceReader, attribute: str, given: str | None, option: str) -> str | None:
    """A part of a name: what the input says, or else what the user gave; if there is neither, a note."""
    text = reader.text_if_set((attribute,))
    if text is not None or given is not None:
        return text or given
    reader.note_missing((attribute,), option)
    return None
