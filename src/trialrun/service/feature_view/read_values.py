"""Values of entities: fetched one by one, fetched in streams, and written directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from trialrun.errors import did_you_mean
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import Layout, NeverSynced
from trialrun.service.error import ServiceError, Status, refused
from trialrun.service.feature_view.data_keys import DataKey, id_of, key_of, shown, text_of
from trialrun.service.feature_view.messages import Feature, FetchFeatureValuesResponse, KeyValues, RpcStatus
from trialrun.service.feature_view.values import feature_value, plain
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.store.interface import EntityId, OnlineStore, Served, Value
    from trialrun.service.feature_view.messages import DataFormat

MOST_NEAR = 1000
"""How many entity ids are looked through for a near one."""


@dataclass(frozen=True)
class Failure:
    """A key that cannot be served, and why."""

    key: DataKey
    error: ServiceError


@dataclass(frozen=True)
class Reading:
    """The values of a view, as they are served now; `takes_features` says that a write may bring further features."""

    name: str
    store: OnlineStore
    layout: Layout
    takes_features: bool = False

    def fetch(
        self, keys: Sequence[DataKey], format: DataFormat, *, field: str | None = None
    ) -> list[FetchFeatureValuesResponse | Failure]:
        """The values of some entities, in their order, or why there are none; `field` is where a single key stands.

        They are asked for again where another sync ended meanwhile and gave them another layout.
        """
        ids = [self._id(key, field or f"dataKeys[{index}]") for index, key in enumerate(keys)]
        wanted = [one for one in ids if not isinstance(one, ServiceError)]
        served = dict(zip(wanted, self.store.fetch(self.name, wanted), strict=True))
        now = reading(self.name, self.store)
        if now.layout != self.layout:
            return now.fetch(keys, format, field=field)
        first_missing = next((id_ for id_ in wanted if served[id_] is None), None)
        near = "" if first_missing is None else self._near(first_missing)
        return [
            Failure(key, id_) if isinstance(id_, ServiceError) else self._answer(key, id_, served[id_], format, near)
            for key, id_ in zip(keys, ids, strict=True)
        ]

    def entity(
        self, id_: EntityId, values: Mapping[str, Value], at: datetime | None, format: DataFormat
    ) -> FetchFeatureValuesResponse:
        """The values of an entity as a response has them."""
        key = key_of(id_)
        if format == "PROTO_STRUCT":
            struct = {column.name: plain(values.get(column.name)) for column in self.layout.features}
            return FetchFeatureValuesResponse(dataKey=key, protoStruct=struct)
        features = [
            Feature(name=column.name, value=feature_value(values.get(column.name), column, at))
            for column in self.layout.features
        ]
        return FetchFeatureValuesResponse(dataKey=key, keyValues=KeyValues(features=features))

    def missing(self, id_: EntityId) -> ServiceError:
        """NOT_FOUND that says that the entity is missing, and which is near."""
        return self._missing(id_, self._near(id_))

    def _missing(self, id_: EntityId, near: str) -> ServiceError:
        message = f'there is no entity {shown([key_of(id_)])} in the view "{last_id(self.name)}"{near}'
        return refused(Status.NOT_FOUND, "unknown-entity", message, view=self.name)

    def _near(self, id_: EntityId) -> str:
        """The question whether a near entity was meant; it takes a while, so only for what is told in words."""
        known = (row[0] for row in islice(self.store.scan(self.name, []), MOST_NEAR))
        return did_you_mean(text_of(id_), [text_of(one) for one in known if isinstance(one, tuple)])

    def _id(self, key: DataKey, field: str) -> EntityId | ServiceError:
        try:
            return id_of(key, self.layout.keys, field=field)
        except ServiceError as error:
            return error

    def _answer(
        self, key: DataKey, id_: EntityId, served: Served | None, format: DataFormat, near: str
    ) -> FetchFeatureValuesResponse | Failure:
        if served is None:
            return Failure(key, self._missing(id_, near))
        return self.entity(id_, served.values, served.timestamp, format)


def reading(name: str, store: OnlineStore) -> Reading:
    """The values of a view. Raises NeverSynced before its first sync."""
    snapshot = store.snapshot(name)
    if snapshot is None:
        raise NeverSynced(f'the view "{last_id(name)}" was never synced; sync it')
    return Reading(name, store, snapshot.layout)


def reading_without_source(name: str, store: OnlineStore) -> Reading:
    """The values of a view without a source, which has no columns before its first write."""
    snapshot = store.snapshot(name)
    return Reading(name, store, snapshot.layout if snapshot else Layout((), ()), takes_features=True)


def status_of_failures(failures: Sequence[Failure]) -> RpcStatus:
    """How the keys fared that cannot be served: the status of the first, and the details of all."""
    first = failures[0].error
    more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
    details = [detail for one in failures for detail in one.error.details]
    return RpcStatus(code=first.code, message=first.message + more, details=details)
