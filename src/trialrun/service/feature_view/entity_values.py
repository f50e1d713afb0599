"""Values of entities: fetched one by one or in streams, written directly, and searched for the nearest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.direct_write import extend_layout, write_with_new_features
from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.index.interface import NumericFilter as Numeric
from trialrun.runtime.feature_view.index.interface import StringFilter as String
from trialrun.runtime.feature_view.search import SearchHit, SearchRequest
from trialrun.runtime.feature_view.store.interface import DirectWrite, InvalidWrite, NeverSynced, RowLayout, Value
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.feature_view.messages import (
    DEFAULT_NEIGHBOR_COUNT,
    DataKeyAndFeatureValues,
    Feature,
    FeatureToWrite,
    FetchFeatureValuesResponse,
    FoundNeighbor,
    KeyValues,
    NearestNeighborQuery,
    NearestNeighbors,
    NumericFilter,
    RpcStatus,
    SearchNearestEntitiesRequest,
    SearchNearestEntitiesResponse,
    WriteResponse,
)
from trialrun.service.feature_view.values import (
    DataKey,
    MismatchedValue,
    column_type,
    entity_id_text,
    format_keys,
    parse_data_key,
    to_data_key,
    to_entity_id,
    to_feature_value,
    to_json_value,
    to_plain_value,
    to_stored_value,
)
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore, ServedEntity
    from trialrun.runtime.feature_view.trial_run import TrialRun
    from trialrun.service.feature_view.messages import DataFormat
    from trialrun.service.feature_view.values import FeatureValue
    from trialrun.service.feature_view.view_store import ViewEntry


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
        self, keys: Sequence[DataKey], format: DataFormat, *, field: str | None = None
    ) -> list[FetchFeatureValuesResponse | KeyFailure]:
        """The values of some entities, in their order, or why there are none; `field` is where a single key is.

        They are asked for again where another sync ended meanwhile and gave them another layout.
        """
        ids = [self._id(key, field or f"dataKeys[{index}]") for index, key in enumerate(keys)]
        valid_ids = [id_ for id_ in ids if not isinstance(id_, ServiceError)]
        served = dict(zip(valid_ids, self.store.fetch(self.name, valid_ids), strict=True))
        now = open_reader(self.name, self.store, plain_values=self.plain_values)
        if now.layout != self.layout:
            return now.fetch(keys, format, field=field)
        first_missing = next((id_ for id_ in valid_ids if served[id_] is None), None)
        near = "" if first_missing is None else self._suggest(first_missing)
        return [
            KeyFailure(key, id_)
            if isinstance(id_, ServiceError)
            else self._key_response(key, id_, served[id_], format, near)
            for key, id_ in zip(keys, ids, strict=True)
        ]

    def fetch_at_once(self, key: DataKey, format: DataFormat) -> FetchFeatureValuesResponse | None:
        """The values of one entity, None where there is more to say than them."""
        id_ = self._id(key, "dataKey")
        if isinstance(id_, ServiceError):
            return None
        (served,) = self.store.fetch(self.name, [id_])
        if served is None or served.values.keys() != {column.name for column in self.layout.features}:
            return None
        return self.to_response(id_, served.values, served.timestamp, format)

    def to_response(
        self, id_: EntityId, values: Mapping[str, Value], at: datetime | None, format: DataFormat
    ) -> FetchFeatureValuesResponse:
        """The values of an entity as a response has them."""
        key = to_data_key(id_)
        if format == "PROTO_STRUCT":
            struct = {column.name: self._struct_value(values.get(column.name)) for column in self.layout.features}
            return FetchFeatureValuesResponse(dataKey=key, protoStruct=struct)
        features = [
            Feature(name=column.name, value=self._feature_value(values.get(column.name), column, at))
            for column in self.layout.features
        ]
        return FetchFeatureValuesResponse(dataKey=key, keyValues=KeyValues(features=features))

    def _struct_value(self, value: Value) -> Any:
        return to_json_value(to_plain_value(value) if self.plain_values else value)

    def _feature_value(self, value: Value, column: Column, at: datetime | None) -> FeatureValue | None:
        return to_feature_value(value, column, at, plain=self.plain_values)

    def not_found(self, id_: EntityId) -> ServiceError:
        """NOT_FOUND that says that the entity is missing, and which is near."""
        return self._not_found(id_, self._suggest(id_))

    def _not_found(self, id_: EntityId, near: str) -> ServiceError:
        message = f'there is no entity {format_keys([to_data_key(id_)])} in the view "{last_id(self.name)}"{near}'
        return service_error(Status.NOT_FOUND, "unknown-entity", message, view=self.name)

    def _suggest(self, id_: EntityId) -> str:
        """The question whether a near entity was meant; it takes a while, so only for error messages."""
        known_ids = (row[0] for row in islice(self.store.scan(self.name, []), MAX_SCANNED_IDS))
        return did_you_mean(
            entity_id_text(id_), [entity_id_text(id_parts) for id_parts in known_ids if isinstance(id_parts, tuple)]
        )

    def _id(self, key: DataKey, field: str) -> EntityId | ServiceError:
        try:
            return to_entity_id(key, self.layout.keys, field=field)
        except ServiceError as error:
            return error

    def _key_response(
        self, key: DataKey, id_: EntityId, served: ServedEntity | None, format: DataFormat, near: str
    ) -> FetchFeatureValuesResponse | KeyFailure:
        if served is None:
            return KeyFailure(key, self._not_found(id_, near))
        return self.to_response(id_, served.values, served.timestamp, format)


def open_reader(name: str, store: OnlineStore, *, plain_values: bool = False) -> ValueReader:
    """The values of a view. Raises NeverSynced before its first sync."""
    snapshot = store.snapshot(name)
    if snapshot is None:
        raise NeverSynced(f'the view "{last_id(name)}" was never synced; sync it')
    return ValueReader(name, store, snapshot.layout, plain_values=plain_values)


def open_reader_without_source(name: str, store: OnlineStore, *, plain_values: bool = False) -> ValueReader:
    """The values of a view without a source, which has no columns before its first write."""
    snapshot = store.snapshot(name)
    layout = snapshot.layout if snapshot else RowLayout((), ())
    return ValueReader(name, store, layout, accepts_new_features=True, plain_values=plain_values)


def combined_status(failures: Sequence[KeyFailure]) -> RpcStatus:
    """How the keys fared that cannot be served: the status of the first, and the details of all."""
    first = failures[0].error
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    details = [detail for failure in failures for detail in failure.error.details]
    return RpcStatus(code=first.code, message=first.message + more, details=details)


@dataclass(frozen=True)
class _ValidatedWrites:
    """Values of one key that fit the view."""

    key: DataKey
    writes: tuple[DirectWrite, ...]


def write_values(
    reading: ValueReader, entities: Sequence[DataKeyAndFeatureValues], *, now: datetime
) -> tuple[list[WriteResponse], list[KeyFailure]]:
    """Write the values of the keys that fit the view, each key wholly or not at all; and say why others do not."""
    judged, reading = _validate_all(reading, entities, now)
    failures = [key_failure for key_failure in judged if isinstance(key_failure, KeyFailure)]
    answers = _write_validated(
        reading,
        [validated_writes for validated_writes in judged if isinstance(validated_writes, _ValidatedWrites)],
        now,
    )
    failures += [answer for answer in answers if isinstance(answer, KeyFailure)]
    return [answer for answer in answers if isinstance(answer, WriteResponse)], failures


def _validate_all(
    reading: ValueReader, entities: Sequence[DataKeyAndFeatureValues], now: datetime
) -> tuple[list[_ValidatedWrites | KeyFailure], ValueReader]:
    """Each key checked, and the reading with the features that fitting keys bring."""
    judged = []
    for index, entity in enumerate(entities):
        wider = _with_new_features(entity, reading)
        judged.append(_validate(entity, wider, f"dataKeyAndFeatureValues[{index}]", now))
        reading = wider if isinstance(judged[-1], _ValidatedWrites) else reading
    return judged, reading


def _with_new_features(entity: DataKeyAndFeatureValues, reading: ValueReader) -> ValueReader:
    """The reading with the features that a key brings, each of the type that its value says."""
    if not reading.accepts_new_features:
        return reading
    given = [(feature.name, feature.value_to_write) for feature in entity.features]
    typed = [(name, value and column_type(value)) for name, value in given]
    columns = [Column(name, *type_) for name, type_ in typed if type_ and name.strip()]
    layout = reading.layout if reading.layout.keys else None
    return replace(reading, layout=extend_layout(layout, len(entity.dataKey.parts), columns))


def _write_validated(
    reading: ValueReader, fit: Sequence[_ValidatedWrites], now: datetime
) -> list[WriteResponse | KeyFailure]:
    """Write values that fit the view; where the store refuses one, halve until its key is left alone."""
    writes = [write for validated_writes in fit for write in validated_writes.writes]
    try:
        served = iter(_store(reading, writes, now) if writes else ())
    except InvalidWrite as error:
        if len(fit) == 1:
            return [KeyFailure(fit[0].key, service_error(Status.INVALID_ARGUMENT, "cannot-write", str(error)))]
        middle = len(fit) // 2
        return [*_write_validated(reading, fit[:middle], now), *_write_validated(reading, fit[middle:], now)]
    return [
        _response(validated_writes, list(islice(served, len(validated_writes.writes))), now) for validated_writes in fit
    ]


def _store(reading: ValueReader, writes: Sequence[DirectWrite], now: datetime) -> list[bool]:
    if reading.accepts_new_features:
        return write_with_new_features(reading.store, reading.name, reading.layout, writes, now=now)
    return reading.store.write(reading.name, writes, now=now)


def _response(fit: _ValidatedWrites, served: Sequence[bool], now: datetime) -> WriteResponse:
    superseded = [write.feature for write, is_served in zip(fit.writes, served, strict=True) if not is_served]
    return WriteResponse(dataKey=fit.key, onlineStoreWriteTime=now, superseded=superseded)


def _validate(
    entity: DataKeyAndFeatureValues, reading: ValueReader, field: str, now: datetime
) -> _ValidatedWrites | KeyFailure:
    try:
        id_ = to_entity_id(entity.dataKey, reading.layout.keys, field=f"{field}.dataKey")
        if not entity.features:
            raise invalid_argument(f"{field}.features", "missing-field", "no features; give the values to write")
        features = [
            _validate_value(feature, reading, f"{field}.features[{at}]") for at, feature in enumerate(entity.features)
        ]
    except ServiceError as error:
        return KeyFailure(entity.dataKey, error)
    return _ValidatedWrites(
        entity.dataKey, tuple(DirectWrite(id_, name, value, at or now) for name, value, at in features)
    )


def _validate_value(feature: FeatureToWrite, reading: ValueReader, field: str) -> tuple[str, Value, datetime | None]:
    columns = {column.name: column for column in reading.layout.features}
    if reading.accepts_new_features and feature.name not in columns:
        raise _unknown_new_feature(feature, field)
    if feature.name not in columns:
        near = did_you_mean(feature.name, columns) or f"; there are {', '.join(columns)}"
        message = f'the view serves no feature "{feature.name}"{near}'
        raise invalid_argument(f"{field}.name", "unknown-feature", message)
    given = feature.value_to_write
    if given is None:
        message = f'"{feature.name}" has no value, and null cannot be written; give one, or omit the feature'
        raise invalid_argument(f"{field}.value", "missing-field", message)
    try:
        value = to_stored_value(given, columns[feature.name], plain=reading.plain_values)
    except MismatchedValue as error:
        raise invalid_argument(f"{field}.value", "wrong-type", str(error)) from error
    return feature.name, value, feature.generated_at


def _unknown_new_feature(feature: FeatureToWrite, field: str) -> ServiceError:
    """Why a feature that no write brought yet is not brought by this one, either."""
    if not feature.name.strip():
        return invalid_argument(f"{field}.name", "missing-field", "the feature has no name; give it one")
    message = f'"{feature.name}" has no value, and null cannot be written; give one, or omit the feature'
    return invalid_argument(f"{field}.value", "missing-field", message)


def search_nearest(
    entry: ViewEntry, reader: ValueReader, trial: TrialRun, request: SearchNearestEntitiesRequest
) -> SearchNearestEntitiesResponse:
    """The entities nearest to a query. Raises INVALID_ARGUMENT, also for a view without an index.

    They are searched again where another sync ended meanwhile and gave them another layout.
    """
    with search_errors():
        question = _to_search_query(request, reader)
        answer = trial.search(entry.declared, question)
    now = open_reader(reader.name, trial.store(entry.declared), plain_values=reader.plain_values)
    if now.layout != reader.layout:
        return search_nearest(entry, now, trial, request)
    neighbors = [_to_response_neighbor(neighbor, reader) for neighbor in answer.neighbors]
    return SearchNearestEntitiesResponse(
        nearestNeighbors=NearestNeighbors(neighbors=neighbors), assumptions=list(answer.assumptions)
    )


def _to_search_query(request: SearchNearestEntitiesRequest, reader: ValueReader) -> SearchRequest:
    query = request.query
    parameters = query.parameters
    return SearchRequest(
        entity=_query_entity(query, reader) if query.embedding is None else None,
        vector=query.embedding.value if query.embedding else None,
        count=query.neighborCount or DEFAULT_NEIGHBOR_COUNT,
        strings=tuple(
            String(stringfilter.name, tuple(stringfilter.allowTokens), tuple(stringfilter.denyTokens))
            for stringfilter in query.stringFilters
        ),
        numbers=tuple(
            _to_number_filter(numeric_filter, index) for index, numeric_filter in enumerate(query.numericFilters)
        ),
        per_crowding_attribute=query.perCrowdingAttributeNeighborCount,
        leaves_fraction=parameters.leafNodesSearchFraction if parameters else None,
        candidates=parameters.approximateNeighborCandidates if parameters else None,
        returns_values=request.returnFullEntity,
    )


def _query_entity(query: NearestNeighborQuery, reader: ValueReader) -> EntityId:
    if query.entityId is None:
        raise invalid_argument(
            "query", "missing-union-member", "a query needs either an entity or a vector; set entityId or embedding"
        )
    columns = reader.layout.keys
    id_ = to_entity_id(parse_data_key(query.entityId, columns), columns, field="query.entityId")
    if reader.store.fetch(reader.name, [id_]) == [None]:
        raise reader.not_found(id_)
    return id_


def _to_number_filter(numeric_filter: NumericFilter, index: int) -> Numeric:
    values = [
        value
        for value in (numeric_filter.valueInt, numeric_filter.valueFloat, numeric_filter.valueDouble)
        if value is not None
    ]
    if len(values) != 1:
        message = (
            f'"{numeric_filter.name}" is compared with {len(values)} values; set one of valueInt, valueFloat, '
            "valueDouble"
        )
        raise invalid_argument(f"query.numericFilters[{index}]", "union-conflict", message)
    return Numeric(numeric_filter.name, numeric_filter.op, values[0])


def _to_response_neighbor(hit: SearchHit, reader: ValueReader) -> FoundNeighbor:
    values = None if hit.values is None else reader.to_response(hit.id, hit.values, None, "KEY_VALUE")
    return FoundNeighbor(entityId=entity_id_text(hit.id), distance=hit.distance, entityKeyValues=values)


@contextmanager
def search_errors() -> Iterator[None]:
    """Report what does not fit the index as an error of the service."""
    try:
        yield
    except NotSearchable as error:
        raise invalid_argument("query", "not-searchable", str(error)) from error
