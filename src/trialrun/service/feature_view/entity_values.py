"""Values of entities: fetched one by one or in streams, written directly, and searched for the nearest.

A key is one text, or the parts of a composite key in the order of the columns.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from trialrun.runtime.feature_view.column import Column, Type
from trialrun.runtime.feature_view.direct_write import extend_layout, write_with_new_features
from trialrun.runtime.feature_view.index.interface import NotSearchable, SearchRequest
from trialrun.runtime.feature_view.index.interface import NumericFilter as Numeric
from trialrun.runtime.feature_view.index.interface import StringFilter as String
from trialrun.runtime.feature_view.search import view_index_parameters
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    InvalidEntityId,
    InvalidWrite,
    NeverSynced,
    RowLayout,
    Value,
    entity_id_from_parts,
)
from trialrun.runtime.feature_view.store.value_codec import from_microseconds, to_microseconds
from trialrun.serialization import json_value
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.feature_view import messages as m
from trialrun.service.feature_view.feature_value import (
    MEMBER_NAMES,
    MEMBERS,
    CompositeKey,
    DataKey,
    FeatureValue,
)
from trialrun.service.message import to_json_number
from trialrun.service.resource import Json
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore
    from trialrun.runtime.feature_view.trial_run import TrialRun

TO_JSON: Mapping[Type, Callable[[Any], object]] = {"INT64": str, "DOUBLE": to_json_number}
"""How values of a type stand in JSON, where that is not as in any JSON."""
MAX_SCANNED_IDS = 1000
"""How many entity ids are looked through for a near one."""


@dataclass(frozen=True)
class KeyFailure:
    """A key that cannot be served, and why."""

    key: DataKey
    error: ServiceError


@dataclass(frozen=True)
class ValueReader:
    """The values of a view, as they are served now; `accepts_new_features` says that a write may bring further
    features, and `plain_values` that there are neither times nor lists of bytes.
    """

    name: str
    store: OnlineStore
    layout: RowLayout
    accepts_new_features: bool = False
    plain_values: bool = False

    def fetch(
        self, keys: Sequence[DataKey], format: m.DataFormat, *, field: str | None = None, suggests: bool = True
    ) -> list[m.FetchFeatureValuesResponse | KeyFailure]:
        """The values of some entities, in their order, or why there are none; `field` is where a single key is.

        With `suggests` a missing one is told with a near one, which takes a while.
        """
        reader, ids = self, list[Any]()

        def valid_ids(layout: RowLayout) -> list[EntityId]:
            nonlocal reader, ids
            reader = ValueReader(self.name, self.store, layout, plain_values=self.plain_values)
            ids = [reader._id(key, field or f"dataKeys[{index}]") for index, key in enumerate(keys)]
            return [id_ for id_ in ids if not isinstance(id_, ServiceError)]

        entities = iter(self.store.fetch_in_layout(self.name, valid_ids))
        responses: list[m.FetchFeatureValuesResponse | KeyFailure] = []
        near = None if suggests else ""
        for key, id_ in zip(keys, ids, strict=True):
            if isinstance(id_, ServiceError):
                responses.append(KeyFailure(key, id_))
            elif entity := next(entities):
                responses.append(reader.to_response(id_, entity.values, entity.timestamp, format))
            else:
                near = reader._suggest(id_) if near is None else near
                responses.append(KeyFailure(key, reader.not_found(id_, near)))
        return responses

    def to_response(
        self, id_: EntityId, values: Mapping[str, Value], at: datetime | None, format: m.DataFormat
    ) -> m.FetchFeatureValuesResponse:
        """The values of an entity as a response has them."""
        parts, plain = [str(part) for part in id_], self.plain_values
        key = {"key": parts[0]} if len(parts) == 1 else {"compositeKey": {"parts": parts}}
        served = [(column, values.get(column.name)) for column in self.layout.features]
        if format == "PROTO_STRUCT":
            struct = {one.name: json_value(to_plain_value(value) if plain else value) for one, value in served}
            return m.FetchFeatureValuesResponse.model_validate({"dataKey": key, "protoStruct": struct})
        metadata = {} if at is None else {"metadata": {"generateTime": format_timestamp(at)}}
        features = [
            {"name": column.name}
            if value is None
            else {"name": column.name, "value": _to_member(value, column, metadata, plain=plain)}
            for column, value in served
        ]
        return m.FetchFeatureValuesResponse.model_validate({"dataKey": key, "keyValues": {"features": features}})

    def not_found(self, id_: EntityId, near: str | None = None) -> ServiceError:
        """NOT_FOUND that says that the entity is missing, and which is near."""
        near = self._suggest(id_) if near is None else near
        shown = json.dumps(str(id_[0]) if len(id_) == 1 else [*map(str, id_)], ensure_ascii=False)
        message = f'there is no entity {shown} in the view "{last_id(self.name)}"{near}'
        return service_error(Status.NOT_FOUND, "unknown-entity", message, view=self.name)

    def _suggest(self, id_: EntityId) -> str:
        """The question whether a near entity was meant; it takes a while, so only for error messages."""
        known_ids = (row[0] for row in islice(self.store.scan(self.name, []), MAX_SCANNED_IDS))
        return did_you_mean(entity_id_text(id_), [entity_id_text(one) for one in known_ids if isinstance(one, tuple)])

    def _id(self, key: DataKey, field: str) -> EntityId | ServiceError:
        try:
            return to_entity_id(key, self.layout.keys, field=field)
        except ServiceError as error:
            return error


def open_reader(name: str, store: OnlineStore, *, plain_values: bool = False) -> ValueReader:
    """The values of a view. Raises NeverSynced before its first sync."""
    snapshot = store.snapshot(name)
    if snapshot is None:
        raise NeverSynced(f'the view "{last_id(name)}" was never synced; sync it')
    return ValueReader(name, store, snapshot.layout, plain_values=plain_values)


def combined_status(failures: Sequence[KeyFailure]) -> m.RpcStatus:
    """How the keys fared that cannot be served: the status of the first, and the details of all."""
    first = failures[0].error
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    details = [detail for failure in failures for detail in failure.error.details]
    return m.RpcStatus(code=first.code, message=first.message + more, details=details)


KeyWrites = tuple[DataKey, Sequence[DirectWrite]]
"""Values of one key that fit the view."""


def write_values(
    reading: ValueReader, entities: Sequence[m.DataKeyAndFeatureValues], *, now: datetime
) -> tuple[list[m.WriteResponse], list[KeyFailure]]:
    """Write the values of the keys that fit the view, each key wholly or not at all; and say why others do not.

    Into a view that accepts new features, each key that fits brings its own, of the types that its values say.
    """
    fit: list[KeyWrites] = []
    failures = []
    for index, entity in enumerate(entities):
        wider = reading
        if reading.accepts_new_features:
            given = [(feature.name, feature.value_to_write) for feature in entity.features]
            typed = [(name, value and MEMBERS.get(next(iter(value.members), ""))) for name, value in given]
            columns = [Column(name, *type_) for name, type_ in typed if type_ and name.strip()]
            layout = reading.layout if reading.layout.keys else None
            wider = replace(reading, layout=extend_layout(layout, len(entity.dataKey.parts), columns))
        try:
            fit.append((entity.dataKey, _validate(entity, wider, f"dataKeyAndFeatureValues[{index}]", now)))
            reading = wider
        except ServiceError as error:
            failures.append(KeyFailure(entity.dataKey, error))
    answers = _write(reading, fit, now)
    failures += [answer for answer in answers if isinstance(answer, KeyFailure)]
    return [answer for answer in answers if isinstance(answer, m.WriteResponse)], failures


def _write(reading: ValueReader, fit: Sequence[KeyWrites], now: datetime) -> list[m.WriteResponse | KeyFailure]:
    """Write values that fit the view; where the store refuses one, halve until its key is left alone."""
    writes = [write for _, of_key in fit for write in of_key]
    if not writes:
        return []
    try:
        if reading.accepts_new_features:
            served = write_with_new_features(reading.store, reading.name, reading.layout, writes, now=now)
        else:
            served = reading.store.write(reading.name, writes, now=now)
    except InvalidWrite as error:
        if len(fit) == 1:
            return [KeyFailure(fit[0][0], service_error(Status.INVALID_ARGUMENT, "cannot-write", str(error)))]
        middle = len(fit) // 2
        return [*_write(reading, fit[:middle], now), *_write(reading, fit[middle:], now)]
    is_served = iter(served)
    return [
        m.WriteResponse(
            dataKey=key, onlineStoreWriteTime=now, superseded=[write.feature for write in of_key if not next(is_served)]
        )
        for key, of_key in fit
    ]


def _validate(
    entity: m.DataKeyAndFeatureValues, reading: ValueReader, field: str, now: datetime
) -> Sequence[DirectWrite]:
    """The writes of a key that fits the view. Raises INVALID_ARGUMENT."""
    id_ = to_entity_id(entity.dataKey, reading.layout.keys, field=f"{field}.dataKey")
    if not entity.features:
        raise invalid_argument(f"{field}.features", "missing-field", "no features; give the values to write")
    return [
        DirectWrite(
            id_, feature.name, _stored(feature, reading, f"{field}.features[{index}]"), feature.generated_at or now
        )
        for index, feature in enumerate(entity.features)
    ]


def _stored(feature: m.FeatureToWrite, reading: ValueReader, field: str) -> Value:
    """The value of a feature as the store keeps it. Raises INVALID_ARGUMENT."""
    columns = {column.name: column for column in reading.layout.features}
    column, given = columns.get(feature.name), feature.value_to_write
    if column is None and not reading.accepts_new_features:
        near = did_you_mean(feature.name, columns) or f"; there are {', '.join(columns)}"
        message = f'the view serves no feature "{feature.name}"{near}'
        raise invalid_argument(f"{field}.name", "unknown-feature", message)
    if column is None and not feature.name.strip():
        raise invalid_argument(f"{field}.name", "missing-field", "the feature has no name; give it one")
    if column is None or given is None:
        message = f'"{feature.name}" has no value, and null cannot be written; give one, or omit the feature'
        raise invalid_argument(f"{field}.value", "missing-field", message)
    return _to_stored_value(given, column, f"{field}.value", plain=reading.plain_values)


def search_nearest(
    view: DeclaredResource[FeatureView],
    reader: ValueReader,
    trial: TrialRun,
    request: m.SearchNearestEntitiesRequest,
) -> m.SearchNearestEntitiesResponse:
    """The entities nearest to a query. Raises INVALID_ARGUMENT, also for a view without an index.

    They are searched again where another sync ended meanwhile and gave them another layout.
    """
    try:
        view_index_parameters(view.node)
        answer = trial.search(view, _to_search_query(request, reader))
    except NotSearchable as error:
        raise invalid_argument("query", "not-searchable", str(error)) from error
    now = open_reader(reader.name, trial.store(view), plain_values=reader.plain_values)
    if now.layout != reader.layout:
        return search_nearest(view, now, trial, request)
    neighbors = [
        m.FoundNeighbor(
            entityId=entity_id_text(hit.id),
            distance=hit.distance,
            entityKeyValues=None if hit.values is None else reader.to_response(hit.id, hit.values, None, "KEY_VALUE"),
        )
        for hit in answer.neighbors
    ]
    return m.SearchNearestEntitiesResponse(
        nearestNeighbors=m.NearestNeighbors(neighbors=neighbors), assumptions=[*answer.assumptions]
    )


def _to_search_query(request: m.SearchNearestEntitiesRequest, reader: ValueReader) -> SearchRequest:
    query, parameters, entity = request.query, request.query.parameters, None
    if query.embedding is None:
        if query.entityId is None:
            message = "a query needs either an entity or a vector; set entityId or embedding"
            raise invalid_argument("query", "missing-union-member", message)
        columns = reader.layout.keys
        entity = to_entity_id(parse_data_key(query.entityId, columns), columns, field="query.entityId")
        if reader.store.fetch(reader.name, [entity]) == [None]:
            raise reader.not_found(entity)
    return SearchRequest(
        entity=entity,
        vector=query.embedding.value if query.embedding else None,
        count=query.neighborCount or m.DEFAULT_NEIGHBOR_COUNT,
        strings=tuple(String(one.name, tuple(one.allowTokens), tuple(one.denyTokens)) for one in query.stringFilters),
        numbers=tuple(_to_number_filter(one, index) for index, one in enumerate(query.numericFilters)),
        per_crowding_attribute=query.perCrowdingAttributeNeighborCount,
        leaves_fraction=parameters.leafNodesSearchFraction if parameters else None,
        candidates=parameters.approximateNeighborCandidates if parameters else None,
        returns_values=request.returnFullEntity,
    )


def _to_number_filter(given: m.NumericFilter, index: int) -> Numeric:
    values = [value for value in (given.valueInt, given.valueFloat, given.valueDouble) if value is not None]
    if len(values) != 1:
        message = f'"{given.name}" is compared with {len(values)} values; set one of valueInt, valueFloat, valueDouble'
        raise invalid_argument(f"query.numericFilters[{index}]", "union-conflict", message)
    return Numeric(given.name, given.op, values[0])


def to_entity_id(key: DataKey, columns: tuple[Column, ...], *, field: str) -> EntityId:
    """The entity id that a key means for some columns. Raises INVALID_ARGUMENT."""
    try:
        return entity_id_from_parts(key.parts, columns)
    except InvalidEntityId as error:
        raise invalid_argument(field, "invalid-entity-id", str(error)) from error


def entity_id_text(id_: EntityId) -> str:
    """An entity id as one text: of several columns a JSON list."""
    return str(id_[0]) if len(id_) == 1 else json.dumps(list(id_), ensure_ascii=False)


def parse_data_key(text: str, columns: tuple[Column, ...]) -> DataKey:
    """The key that `entity_id_text` wrote."""
    if len(columns) == 1:
        return DataKey(key=text)
    try:
        parts: Any = json.loads(text)
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, list) or any(type(part) not in (str, int) for part in parts):
        names = ", ".join(column.name for column in columns)
        message = f'"{text}" is not an entity id of the columns {names}; write a JSON list of their values'
        raise invalid_argument("query.entityId", "invalid-entity-id", message)
    return DataKey(compositeKey=CompositeKey(parts=[str(part) for part in parts]))


def member_name(column: Column, *, plain: bool = False) -> str:
    """The member that values of a column are in: `int64Value`, `stringArrayValue`."""
    return MEMBER_NAMES[plain_type(column) if plain else column.type, column.repeated]


def plain_type(column: Column) -> Type:
    """The type of a column's values where there are neither times nor lists of bytes."""
    if column.type == "BYTES" and column.repeated:
        return "STRING"
    return "INT64" if column.type == "TIMESTAMP" else column.type


def _to_member(value: Any, column: Column, metadata: Json, *, plain: bool) -> Json:
    """The value of a column as the member that it is in responses, in JSON."""
    value = to_plain_value(value) if plain else value
    written: Callable[[Any], object] = TO_JSON.get(plain_type(column) if plain else column.type, json_value)
    inner = {"values": [*map(written, value)]} if column.repeated else written(value)
    return {member_name(column, plain=plain): inner, **metadata}


def _to_stored_value(value: FeatureValue, column: Column, field: str, *, plain: bool) -> Value:
    """The value as the store keeps it. Raises INVALID_ARGUMENT."""
    members, member = value.members, member_name(column, plain=plain)
    if members != [member]:
        given = f"not {members[0]}" if members else "and null cannot be written"
        message = f'"{column.name}" is {column.type_text}: it takes {member}, {given}'
        raise invalid_argument(field, "wrong-type", message)
    given = getattr(value, member)
    stored = cast("Value", tuple(given.values) if column.repeated else given)
    return _from_plain_value(stored, column, field) if plain and plain_type(column) != column.type else stored


def to_plain_value(value: Value) -> Value:
    """A value without times and lists of bytes: whole numbers of microseconds, and texts in base64."""
    match value:
        case datetime():
            return to_microseconds(value)
        case tuple() | list():
            texts = (b64encode(item).decode("ascii") if isinstance(item, bytes) else item for item in value)
            return cast("Value", tuple(to_plain_value(item) for item in texts))
    return value


def _from_plain_value(value: Value, column: Column, field: str) -> Value:
    """The value of a column that a plain one stands for. Raises INVALID_ARGUMENT."""

    def from_plain(item: Any) -> Any:
        return b64decode(item, validate=True) if isinstance(item, str) else from_microseconds(item)

    try:
        return cast("Value", tuple(map(from_plain, value)) if isinstance(value, tuple) else from_plain(value))
    except OverflowError as error:
        message = f'"{column.name}" takes microseconds since 1970, up to the year 9999'
        raise invalid_argument(field, "wrong-type", message) from error
    except ValueError as error:
        message = f'"{column.name}" takes bytes, which are written in base64'
        raise invalid_argument(field, "wrong-type", message) from error
