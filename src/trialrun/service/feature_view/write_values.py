"""Direct writes: values from requests into the store, key by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice

from trialrun.errors import did_you_mean
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.direct_write import extended, write_directly
from trialrun.runtime.feature_view.store.interface import CannotWrite, Value, Write
from trialrun.service.error import ServiceError, Status, invalid, refused
from trialrun.service.feature_view.data_keys import DataKey, id_of
from trialrun.service.feature_view.messages import DataKeyAndFeatureValues, Feature, WriteResponse
from trialrun.service.feature_view.read_values import Failure, Reading
from trialrun.service.feature_view.values import MismatchedValue, column_type, stored_value


@dataclass(frozen=True)
class _Fit:
    """Values of one key that fit the view."""

    key: DataKey
    writes: tuple[Write, ...]


def write(
    reading: Reading, asked: Sequence[DataKeyAndFeatureValues], *, now: datetime
) -> tuple[list[WriteResponse], list[Failure]]:
    """Write the values of the keys that fit the view, each key wholly or not at all; and say why others do not."""
    judged, reading = _all_judged(reading, asked, now)
    failures = [one for one in judged if isinstance(one, Failure)]
    answers = _written(reading, [one for one in judged if isinstance(one, _Fit)], now)
    failures += [one for one in answers if isinstance(one, Failure)]
    return [one for one in answers if isinstance(one, WriteResponse)], failures


def _all_judged(
    reading: Reading, asked: Sequence[DataKeyAndFeatureValues], now: datetime
) -> tuple[list[_Fit | Failure], Reading]:
    """Each key judged, and the reading with the features that fitting keys bring."""
    judged = []
    for index, one in enumerate(asked):
        wider = _with_features_of(one, reading)
        judged.append(_judged(one, wider, f"dataKeyAndFeatureValues[{index}]", now))
        reading = wider if isinstance(judged[-1], _Fit) else reading
    return judged, reading


def _with_features_of(one: DataKeyAndFeatureValues, reading: Reading) -> Reading:
    """The reading with the features that a key brings, each of the type that its value says."""
    if not reading.takes_features:
        return reading
    typed = [(feature.name, feature.value and column_type(feature.value)) for feature in one.features]
    columns = [Column(name, *type_) for name, type_ in typed if type_ and name.strip()]
    layout = reading.layout if reading.layout.keys else None
    return replace(reading, layout=extended(layout, len(one.dataKey.parts), columns))


def _written(reading: Reading, fit: Sequence[_Fit], now: datetime) -> list[WriteResponse | Failure]:
    """Write values that fit the view; where the store refuses one, halve until its key is left alone."""
    writes = [write for one in fit for write in one.writes]
    try:
        served = iter(_stored(reading, writes, now) if writes else ())
    except CannotWrite as error:
        if len(fit) == 1:
            return [Failure(fit[0].key, refused(Status.INVALID_ARGUMENT, "cannot-write", str(error)))]
        middle = len(fit) // 2
        return [*_written(reading, fit[:middle], now), *_written(reading, fit[middle:], now)]
    return [_response(one, list(islice(served, len(one.writes))), now) for one in fit]


def _stored(reading: Reading, writes: Sequence[Write], now: datetime) -> list[bool]:
    if reading.takes_features:
        return write_directly(reading.store, reading.name, reading.layout, writes, now=now)
    return reading.store.write(reading.name, writes, now=now)


def _response(fit: _Fit, served: Sequence[bool], now: datetime) -> WriteResponse:
    superseded = [one.feature for one, is_served in zip(fit.writes, served, strict=True) if not is_served]
    return WriteResponse(dataKey=fit.key, onlineStoreWriteTime=now, superseded=superseded)


def _judged(one: DataKeyAndFeatureValues, reading: Reading, field: str, now: datetime) -> _Fit | Failure:
    try:
        id_ = id_of(one.dataKey, reading.layout.keys, field=f"{field}.dataKey")
        if not one.features:
            raise invalid(f"{field}.features", "missing-field", "no features; give the values to write")
        features = [_value(feature, reading, f"{field}.features[{at}]") for at, feature in enumerate(one.features)]
    except ServiceError as error:
        return Failure(one.dataKey, error)
    return _Fit(one.dataKey, tuple(Write(id_, name, value, at or now) for name, value, at in features))


def _value(feature: Feature, reading: Reading, field: str) -> tuple[str, Value, datetime | None]:
    columns = {column.name: column for column in reading.layout.features}
    if reading.takes_features and feature.name not in columns:
        raise _without_column(feature, field)
    if feature.name not in columns:
        near = did_you_mean(feature.name, columns) or f"; there are {', '.join(columns)}"
        message = f'the view serves no feature "{feature.name}"{near}'
        raise invalid(f"{field}.name", "unknown-feature", message)
    if feature.value is None:
        message = f'"{feature.name}" has no value, and null cannot be written; give one, or leave it out'
        raise invalid(f"{field}.value", "missing-field", message)
    try:
        value = stored_value(feature.value, columns[feature.name])
    except MismatchedValue as error:
        raise invalid(f"{field}.value", "wrong-type", str(error)) from error
    metadata = feature.value.metadata
    return feature.name, value, metadata.generateTime if metadata else None


def _without_column(feature: Feature, field: str) -> ServiceError:
    """Why a feature that no write brought yet is not brought by this one, either."""
    if not feature.name.strip():
        return invalid(f"{field}.name", "missing-field", "the feature has no name; give it one")
    message = f'"{feature.name}" has no value, and null cannot be written; give one, or leave it out'
    return invalid(f"{field}.value", "missing-field", message)
