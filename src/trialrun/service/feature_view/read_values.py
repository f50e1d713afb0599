"""Values of entities: fetched one by one, fetched in streams, and written directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import NeverSynced, RowLayout
from trialrun.service.error import ServiceError, Status, service_error
from trialrun.service.feature_view.data_keys import DataKey, entity_id_text, format_keys, to_data_key, to_entity_id
from trialrun.service.feature_view.messages import Feature, FetchFeatureValuesResponse, KeyValues, RpcStatus
from trialrun.service.feature_view.values import to_feature_value, to_json_value, to_plain_value
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.column import Column
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore, ServedEntity, Value
    from trialrun.service.feature_view.messages import DataFormat
    from trialrun.service.feature_view.values import FeatureValue

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
