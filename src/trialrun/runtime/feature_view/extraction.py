"""What a view takes from its tables, as its source says: columns of the entity id, of the moment, and of features."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.column import Column, find_column
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, place_of
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureGroup, FeatureView, RagSource, WarehouseSource
    from trialrun.model.node import Node
    from trialrun.runtime.declaration import Catalog

Steps = tuple[str | int, ...]
Tables = Callable[[TableLocation], tuple[TableLocation, Sequence[Column]]]
"""Finds the columns of a table, and where it is at the moment that is asked about."""
DEFAULT_TIMESTAMP_COLUMN = "feature_timestamp"
SOURCES = ("warehouseSource", "featureRegistrySource", "ragSource")
SPELLINGS = (
    ("corpusId", "fileId", "chunkId", "chunk_data_type", "chunk_data", "embeddings", "file_original_uri"),
    ("corpus_id", "file_id", "chunk_id", "chunk_data_type", "chunk_data", "embeddings", "file_original_uri"),
)
"""The columns as the specification spells them, then as tables in the wild do: one of the two throughout a table."""
EMBEDDINGS = "embeddings"
"""The column that is a list of floats; the others are text."""


@dataclass(frozen=True)
class ColumnSelection:
    """What is taken from one table: columns as the table has them, features by the names that they are served under.

    `sparse` takes the latest value of each feature that is not null, else the latest row is taken as it is. `only`
    names a column and the value that rows must have in it. `steps` lead to what names the table in the view,
    `key_steps` to what names its entity id columns.
    """

    place: TableLocation
    steps: Steps
    key_steps: Steps
    keys: tuple[Column, ...]
    moment: Column | None
    features: tuple[tuple[str, Column], ...]
    sparse: bool = False
    only: tuple[str, str] | None = None

    @property
    def columns(self) -> list[Column]:
        """All of these columns: of the entity id, of the moment, and of features."""
        return [*self.keys, *([self.moment] if self.moment else []), *(column for _, column in self.features)]

    @property
    def timestamp_indexes(self) -> tuple[int, ...]:
        """For each feature which moment of a row is its own; features that are never null share that of the row."""
        if self.moment is None or not self.sparse:
            return (0,) * len(self.features)
        own = [place for place, (_, column) in enumerate(self.features) if not column.required]
        shared = int(len(own) < len(self.features))
        return tuple(own.index(place) + shared if place in own else 0 for place, _ in enumerate(self.features))

    @property
    def timestamp_count(self) -> int:
        """How many moments a row has."""
        return max(self.timestamp_indexes, default=0) + 1


def select_columns(view: FeatureView, catalog: Catalog, tables: Tables) -> tuple[ColumnSelection, ...]:
    """What a view takes from each of its tables, which `tables` reads, at a moment or now. Raises CannotSync."""
    _require_known(view, SOURCES, ())
    if view.warehouseSource:
        return (_select_warehouse(view.warehouseSource, catalog, tables),)
    if view.ragSource:
        return (_select_rag(view.ragSource, catalog, tables),)
    if view.featureRegistrySource:
        return tuple(_select_groups(view, catalog, tables))
    raise CannotSync(
        "the view has no source, so there is nothing to sync; write values directly, or set warehouseSource, "
        "featureRegistrySource or ragSource"
    )


def _require_known(node: Node, names: Sequence[str], steps: Steps, subject: str = "") -> None:
    """Refuse a field of which only Terraform knows the value, or a part of it. Raises CannotSync.

    `steps` lead to the message in the view, with a `subject` to what names it there.
    """
    for name in names:
        if (unknown := node.unknown_value(name)) is not None:
            where = steps if subject else (*steps, name)
            raise CannotSync(f"{subject}its {unknown.words}; import a plan of it", steps=where)


def require_column(name: str, columns: Sequence[Column], what: str, steps: Steps) -> Column:
    """The column of a name. Raises CannotSync that says what it is for, and which one is near."""
    if match := find_column(name, columns):
        return match
    names = [column.name for column in columns]
    hint = did_you_mean(name, names, otherwise=f"it has {', '.join(names) or 'none'}")
    raise CannotSync(f'the table has no column "{name}" for {what}{hint}', steps=steps)


def _select_warehouse(source: WarehouseSource, catalog: Catalog, tables: Tables) -> ColumnSelection:
    uri: Steps = ("warehouseSource", "uri")
    _require_known(source, ("uri", "entityIdColumns"), uri[:-1])
    place, columns = _read_columns(source.uri, uri, catalog, tables)
    steps: Steps = ("warehouseSource", "entityIdColumns")
    keys = _key_columns(source.entityIdColumns or (), columns, steps)
    moment = _timestamp_column(place, columns, uri)
    features = tuple((column.name, column) for column in columns if column not in keys and column != moment)
    return ColumnSelection(place, uri, steps, keys, moment, features)


def _select_rag(source: RagSource, catalog: Catalog, tables: Tables) -> ColumnSelection:
    uri: Steps = ("ragSource", "uri")
    place, columns = _read_columns(source.uri, uri, catalog, tables)
    taken = []
    for name in spelling_of([column.name for column in columns]):
        column = require_column(name, columns, "a RAG source", uri)
        is_embeddings = name == EMBEDDINGS
        if (column.type, column.repeated) != (("DOUBLE", True) if is_embeddings else ("STRING", False)):
            wanted = "FLOAT REPEATED" if is_embeddings else "STRING"
            raise CannotSync(
                f'column "{column.name}" of a RAG source must be {wanted}, not {column.type_text}; convert it',
                steps=uri,
            )
        taken.append(column)
    corpus, _, key, *_ = taken
    moment = _timestamp_column(place, columns, uri)
    features = tuple((column.name, column) for column in columns if column not in (key, moment))
    only = (corpus.name, str(source.ragCorpusId)) if source.ragCorpusId is not None else None
    return ColumnSelection(place, uri, uri, (key,), moment, features, only=only)


def _select_groups(view: FeatureView, catalog: Catalog, tables: Tables) -> Iterator[ColumnSelection]:
    source = view.featureRegistrySource
    if source is not None:
        _require_known(source, ("featureGroups", "projectNumber"), SOURCES[1:2])
    project = source.projectNumber if source else None
    taken: dict[str, str] = {}
    uris: dict[str, str] = {}
    first: ColumnSelection | None = None
    for index, feature_group in enumerate((source and source.featureGroups) or ()):
        id, steps = feature_group.featureGroupId or "", ("featureRegistrySource", "featureGroups", index)
        _require_known(feature_group, ("featureGroupId", "featureIds"), steps)
        group = catalog.group(id, project)
        if group is None:
            ids = [group.node.featureGroupId or "" for group in catalog.groups]
            hint = did_you_mean(id, ids, otherwise="add a document of kind FeatureGroupTable")
            raise CannotSync(f'no feature group "{id}" is declared{hint}', steps=(*steps, "featureGroupId"))
        selection = _select_group(feature_group, group.node, catalog, tables, steps)
        for place, (name, _) in enumerate(selection.features):
            if name in taken:
                raise CannotSync(
                    f'feature "{name}" is taken from the groups "{taken[name]}" and "{id}"; '
                    "feature names of a view must be unique",
                    steps=(*steps, "featureIds", place),
                )
            taken[name] = id
        first = first or selection
        if [key.type for key in first.keys] != [key.type for key in selection.keys]:
            one, other = (
                ", ".join(f"{key.name} {key.type_text}" for key in keys) for keys in (first.keys, selection.keys)
            )
            raise CannotSync(
                f"the groups of a view must have the same entity id, but ({one}) is not ({other}); remove one group",
                steps=selection.key_steps,
            )
        uri = selection.place.uri
        if (like := uris.setdefault(uri.casefold(), uri)) != uri:
            raise CannotSync(
                f'the tables "{like}" and "{uri}" differ only in case; change one of them', steps=selection.key_steps
            )
        yield selection
    if first is None:
        raise CannotSync("featureRegistrySource names no feature groups; list them", steps=("featureRegistrySource",))


def _select_group(
    feature_group: FeatureGroup, node: FeatureGroupTable, catalog: Catalog, tables: Tables, steps: Steps
) -> ColumnSelection:
    name, group_steps = f'the group "{feature_group.featureGroupId}"', (*steps, "featureGroupId")
    _require_known(node, ("uri", "entityIdColumns", "timestampColumn", "dense"), group_steps, f"{name}: ")
    place, columns = _read_columns(node.uri, group_steps, catalog, tables)
    keys = _key_columns(node.entityIdColumns or (), columns, group_steps)
    written = node.timestampColumn or DEFAULT_TIMESTAMP_COLUMN
    moment = _require_timestamp(require_column(written, columns, f"the timestamp of {name}", group_steps), steps)
    registered = {feature.id: feature.column or feature.id for feature in node.features or () if feature.id}
    features: dict[str, Column] = {}
    for index, id in enumerate(feature_group.featureIds or ()):
        feature_steps = (*steps, "featureIds", index)
        if id not in registered:
            _require_known(node, ("features",), feature_steps, f'{name} may have the feature "{id}": ')
            hint = did_you_mean(id, registered, otherwise=f"it has {', '.join(registered) or 'none'}")
            raise CannotSync(f'{name} has no feature "{id}"{hint}', steps=feature_steps)
        features[id] = require_column(registered[id], columns, f'feature "{id}"', feature_steps)
    return ColumnSelection(place, group_steps, group_steps, keys, moment, tuple(features.items()), not node.dense)


def _read_columns(
    uri: str | None, steps: Steps, catalog: Catalog, tables: Tables
) -> tuple[TableLocation, Sequence[Column]]:
    if not uri:
        raise CannotSync("the source names no table; set its uri", steps=steps[:-1])
    source = catalog.source(uri)
    if source is None or source.node.unknown_value("files"):
        uris = [source.node.uri or "" for source in catalog.sources if not source.node.unknown_value("files")]
        hint = did_you_mean(uri, uris, otherwise="add a document of kind Source with this uri")
        raise CannotSync(f'no Source says where the rows of "{uri}" are{hint}', steps=steps)
    try:
        return tables(place_of(source))
    except Unreadable as error:
        raise CannotSync(f'"{uri}" cannot be read: {error}', steps=steps) from error


def _key_columns(names: Sequence[str], columns: Sequence[Column], steps: Steps) -> tuple[Column, ...]:
    if not names:
        raise CannotSync("no entity id columns are named; list at least one in entityIdColumns", steps=steps[:-1])
    keys = []
    for index, name in enumerate(names):
        column_steps = (*steps, index) if steps[-1] == "entityIdColumns" else steps
        column = require_column(name, columns, "the entity id", column_steps)
        if column.type not in ("STRING", "INT64") or column.repeated:
            raise CannotSync(
                f'the entity id column "{column.name}" is {column.written_type}; it must be text or an integer',
                steps=column_steps,
            )
        if column in keys:
            raise CannotSync(f'column "{column.name}" is listed twice in the entity id; remove one', steps=column_steps)
        keys.append(column)
    return tuple(keys)


def _timestamp_column(place: TableLocation, columns: Sequence[Column], steps: Steps) -> Column | None:
    """The timestamp column that the Source names, which must be there; else feature_timestamp where there is one."""
    if place.moment:
        return _require_timestamp(require_column(place.moment, columns, "the timestamp of its Source", steps), steps)
    timestamp_column = find_column(DEFAULT_TIMESTAMP_COLUMN, columns)
    return timestamp_column and _require_timestamp(timestamp_column, steps)


def _require_timestamp(column: Column, steps: Steps) -> Column:
    if column.type != "TIMESTAMP" or column.repeated:
        raise CannotSync(
            f'the timestamp column "{column.name}" is {column.written_type}; it must be TIMESTAMP', steps=steps
        )
    return column


def spelling_of(columns: Collection[str]) -> tuple[str, ...]:
    """The names of the seven columns in the spelling that most of the columns of a table have."""
    names = {name.casefold() for name in columns}
    specified, snake_case = ([name.casefold() in names for name in spelling] for spelling in SPELLINGS)
    return SPELLINGS[sum(snake_case) > sum(specified)]
