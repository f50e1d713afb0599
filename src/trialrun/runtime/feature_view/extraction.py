"""What a view takes from its tables, as its source says: columns of the entity id, of the moment, and of features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.model.suggest import nearest
from trialrun.runtime.feature_view.column import Column, known_column
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.latest_rows_sql import Extract, Taken
from trialrun.runtime.feature_view.rag_columns import EMBEDDINGS, spelling_of
from trialrun.runtime.feature_view.source.location import TablePlace, Unreadable, place_of

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureGroup, FeatureView, RagSource, WarehouseSource
    from trialrun.runtime.declaration import Catalog, Declared

Steps = tuple[str | int, ...]
Tables = Callable[[TablePlace], Sequence[Column]]
MOMENT = "feature_timestamp"


@dataclass(frozen=True)
class Extraction:
    """What is taken from one table: columns as the table has them, features by the names that they are served under.

    `steps` lead to what names the table in the view, `key_steps` to what names its entity id columns.
    """

    place: TablePlace
    steps: Steps
    key_steps: Steps
    keys: tuple[Column, ...]
    moment: Column | None
    features: tuple[tuple[str, Column], ...]
    sparse: bool = False
    only: tuple[str, str] | None = None

    @property
    def extract(self) -> Extract:
        """The same as a statement asks for it."""
        taken = tuple(Taken(name, column.name, not column.required) for name, column in self.features)
        keys = tuple(key.name for key in self.keys)
        moment = self.moment.name if self.moment else None
        return Extract(self.place.uri, keys, moment, taken, self.sparse, self.only)


def extractions(view: FeatureView, catalog: Catalog, tables: Tables) -> tuple[Extraction, ...]:
    """What a view takes from each of its tables, whose columns `tables` knows. Raises CannotSync."""
    if view.warehouseSource:
        return (_warehouse(view.warehouseSource, catalog, tables),)
    if view.ragSource:
        return (_rag(view.ragSource, catalog, tables),)
    if view.featureRegistrySource:
        return tuple(_groups(view, catalog, tables))
    raise CannotSync(
        "the view has no source, so there is nothing to sync; write values directly, or set warehouseSource, "
        "featureRegistrySource or ragSource"
    )


def column_called(name: str, columns: Sequence[Column], what: str, steps: Steps) -> Column:
    """The column of a name. Raises CannotSync that says what it is for, and which one is near."""
    if found := known_column(name, columns):
        return found
    near = nearest(name, [one.name for one in columns])
    hint = f'did you mean "{near}"?' if near else f"it has {', '.join(one.name for one in columns) or 'none'}"
    raise CannotSync(f'the table has no column "{name}" for {what}; {hint}', steps=steps)


def _warehouse(source: WarehouseSource, catalog: Catalog, tables: Tables) -> Extraction:
    uri: Steps = ("warehouseSource", "uri")
    place, columns = _table(source.uri, uri, catalog, tables)
    steps: Steps = ("warehouseSource", "entityIdColumns")
    keys = _keys(source.entityIdColumns or (), columns, steps)
    moment = _moment_if_any(place, columns, uri)
    features = tuple((one.name, one) for one in columns if one not in keys and one != moment)
    return Extraction(place, uri, steps, keys, moment, features)


def _rag(source: RagSource, catalog: Catalog, tables: Tables) -> Extraction:
    uri: Steps = ("ragSource", "uri")
    place, columns = _table(source.uri, uri, catalog, tables)
    corpus, _, key, *_ = (_rag_column(name, columns, uri) for name in spelling_of([one.name for one in columns]))
    moment = _moment_if_any(place, columns, uri)
    features = tuple((one.name, one) for one in columns if one not in (key, moment))
    only = (corpus.name, str(source.ragCorpusId)) if source.ragCorpusId is not None else None
    return Extraction(place, uri, uri, (key,), moment, features, only=only)


def _rag_column(name: str, columns: Sequence[Column], steps: Steps) -> Column:
    column = column_called(name, columns, "a RAG source", steps)
    is_embeddings = name == EMBEDDINGS
    if (column.type, column.repeated) != (("DOUBLE", True) if is_embeddings else ("STRING", False)):
        wanted = "FLOAT REPEATED" if is_embeddings else "STRING"
        raise CannotSync(
            f'column "{column.name}" of a RAG source is {wanted}, not {column.shown}; convert it', steps=steps
        )
    return column


def _groups(view: FeatureView, catalog: Catalog, tables: Tables) -> Iterator[Extraction]:
    source = view.featureRegistrySource
    project = source.projectNumber if source else None
    taken: dict[str, str] = {}
    uris: dict[str, str] = {}
    first: Extraction | None = None
    for index, asked in enumerate((source and source.featureGroups) or ()):
        steps: Steps = ("featureRegistrySource", "featureGroups", index)
        group = _group(asked, project, catalog, steps)
        one = _group_extraction(asked, group, catalog, tables, steps)
        for place, (name, _) in enumerate(one.features):
            if name in taken:
                raise CannotSync(
                    f'feature "{name}" is taken from the groups "{taken[name]}" and "{asked.featureGroupId}"; '
                    "a view serves one feature of a name",
                    steps=(*steps, "featureIds", place),
                )
            taken[name] = asked.featureGroupId or ""
        first = first or one
        _same_keys(first, one)
        _same_capitals(uris.setdefault(one.place.uri.casefold(), one.place.uri), one)
        yield one
    if first is None:
        raise CannotSync("featureRegistrySource names no feature groups; list them", steps=("featureRegistrySource",))


def _group(asked: FeatureGroup, project: int | None, catalog: Catalog, steps: Steps) -> Declared[FeatureGroupTable]:
    id = asked.featureGroupId or ""
    if group := catalog.group(id, project):
        return group
    near = nearest(id, [one.node.featureGroupId or "" for one in catalog.groups])
    hint = f'did you mean "{near}"?' if near else "add a document of kind FeatureGroupTable"
    raise CannotSync(f'no feature group "{id}" is declared; {hint}', steps=(*steps, "featureGroupId"))


def _group_extraction(
    asked: FeatureGroup, group: Declared[FeatureGroupTable], catalog: Catalog, tables: Tables, steps: Steps
) -> Extraction:
    node, name = group.node, f'the group "{asked.featureGroupId}"'
    place, columns = _table(node.uri, (*steps, "featureGroupId"), catalog, tables)
    keys = _keys(node.entityIdColumns or (), columns, (*steps, "featureGroupId"))
    written = node.timestampColumn or MOMENT
    moment = _is_moment(column_called(written, columns, f"the timestamp of {name}", (*steps, "featureGroupId")), steps)
    registered = {one.id: one.column or one.id for one in node.features or () if one.id}
    features = []
    for index, id in enumerate(asked.featureIds or ()):
        here = (*steps, "featureIds", index)
        if id not in registered:
            near = nearest(id, registered)
            hint = f'did you mean "{near}"?' if near else f"it has {', '.join(registered) or 'none'}"
            raise CannotSync(f'{name} has no feature "{id}"; {hint}', steps=here)
        features.append((id, column_called(registered[id], columns, f'feature "{id}"', here)))
    group_steps = (*steps, "featureGroupId")
    return Extraction(place, group_steps, group_steps, keys, moment, tuple(dict(features).items()), not node.dense)


def _same_keys(first: Extraction, other: Extraction) -> None:
    types = [[key.type for key in one.keys] for one in (first, other)]
    if types[0] != types[1]:
        shown = ["(" + ", ".join(f"{key.name} {key.shown}" for key in one.keys) + ")" for one in (first, other)]
        raise CannotSync(
            f"groups of one view have the same entity id, and {shown[0]} is not {shown[1]}; leave one group out",
            steps=other.key_steps,
        )


def _same_capitals(uri: str, other: Extraction) -> None:
    if uri != other.place.uri:
        raise CannotSync(
            f'the tables "{uri}" and "{other.place.uri}" differ in capitals only; give one of them another uri',
            steps=other.key_steps,
        )


def _table(uri: str | None, steps: Steps, catalog: Catalog, tables: Tables) -> tuple[TablePlace, Sequence[Column]]:
    if not uri:
        raise CannotSync("the source names no table; set its uri", steps=steps[:-1])
    source = catalog.source(uri)
    if source is None:
        near = nearest(uri, [one.node.uri or "" for one in catalog.sources])
        hint = f'did you mean "{near}"?' if near else "add a document of kind Source with this uri"
        raise CannotSync(f'no Source says where the rows of "{uri}" are; {hint}', steps=steps)
    place = place_of(source)
    try:
        return place, tables(place)
    except Unreadable as error:
        raise CannotSync(f'"{uri}" cannot be read: {error}', steps=steps) from error


def _keys(names: Sequence[str], columns: Sequence[Column], steps: Steps) -> tuple[Column, ...]:
    if not names:
        raise CannotSync("no entity id columns are named; list at least one in entityIdColumns", steps=steps[:-1])
    keys = []
    for index, name in enumerate(names):
        here = (*steps, index) if steps[-1] == "entityIdColumns" else steps
        column = column_called(name, columns, "the entity id", here)
        if column.type not in ("STRING", "INT64") or column.repeated:
            raise CannotSync(
                f'column "{column.name}" of the entity id is {column.shown}; entity ids are STRING or INT64', steps=here
            )
        if column in keys:
            raise CannotSync(f'column "{column.name}" is twice in the entity id; name it once', steps=here)
        keys.append(column)
    return tuple(keys)


def _moment_if_any(place: TablePlace, columns: Sequence[Column], steps: Steps) -> Column | None:
    """The timestamp column that the Source names, which must be there; else feature_timestamp where it is one."""
    if place.moment:
        return _is_moment(column_called(place.moment, columns, "the timestamp of its Source", steps), steps)
    found = known_column(MOMENT, columns)
    return found if found and found.type == "TIMESTAMP" and not found.repeated else None


def _is_moment(column: Column, steps: Steps) -> Column:
    if column.type != "TIMESTAMP" or column.repeated:
        raise CannotSync(f'the timestamp column "{column.name}" is {column.shown}; it is a TIMESTAMP', steps=steps)
    return column
