"""Direct writes: values from requests into the store, key by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.direct_write import extend_layout, write_with_new_features
from trialrun.runtime.feature_view.store.interface import DirectWrite, InvalidWrite, Value
from trialrun.service.error import ServiceError, Status, invalid_argument, service_error
from trialrun.service.feature_view.data_keys import DataKey, to_entity_id
from trialrun.service.feature_view.messages import DataKeyAndFeatureValues, FeatureToWrite, WriteResponse
from trialrun.service.feature_view.read_values import KeyFailure, ValueReader
from trialrun.service.feature_view.values import MismatchedValue, column_type, to_stored_value
from trialrun.values.suggest import did_you_mean


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
