"""Fetching and writing the values of entities."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from trialrun.service.feature_view.data_keys import DataKey
from trialrun.service.feature_view.messages.syncing import RpcStatus
from trialrun.service.feature_view.values import FeatureValue
from trialrun.service.message import Message, Timestamp

DataFormat = Literal["KEY_VALUE", "PROTO_STRUCT"]


class Feature(Message):
    """A feature by its name; without a value it is null."""

    name: str
    value: FeatureValue | None = None


class KeyValues(Message):
    """The features of an entity."""

    features: list[Feature]


class FetchFeatureValuesRequest(Message):
    """fetchFeatureValues: one entity of a view."""

    featureView: str
    dataKey: DataKey
    dataFormat: DataFormat = "KEY_VALUE"


class FetchFeatureValuesResponse(Message):
    """The values of an entity, as features or as one JSON object."""

    dataKey: DataKey
    keyValues: KeyValues | None = None
    protoStruct: dict[str, Any] | None = None


class StreamingFetchFeatureValuesRequest(Message):
    """streamingFetchFeatureValues: some entities of a view."""

    featureView: str
    dataKeys: list[DataKey]
    dataFormat: DataFormat = "KEY_VALUE"


class StreamingFetchFeatureValuesResponse(Message):
    """What could be fetched, or the keys of what could not, and why."""

    status: RpcStatus = RpcStatus()
    data: list[FetchFeatureValuesResponse] = Field(default_factory=list)
    dataKeysWithError: list[DataKey] = Field(default_factory=list)


class DataKeyAndFeatureValues(Message):
    """Values to write for an entity."""

    dataKey: DataKey
    features: list[Feature]


class DirectWriteRequest(Message):
    """directWrite: values for some entities of a view."""

    featureView: str
    dataKeyAndFeatureValues: list[DataKeyAndFeatureValues]


class WriteResponse(Message):
    """What became of the values of an entity; `superseded` are the features of which a newer value is served."""

    dataKey: DataKey
    onlineStoreWriteTime: Timestamp | None = None
    superseded: list[str] = Field(default_factory=list)


class DirectWriteResponse(Message):
    """What was written, or the keys of what was not, and why."""

    status: RpcStatus = RpcStatus()
    writeResponses: list[WriteResponse] = Field(default_factory=list)
