"""Fetching and writing the values of entities."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import Field, model_validator

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


class ValuesRequest(Message):
    """What requests about values have in common: `plainValues` asks for values without times and lists of bytes.

    Then a time is a whole number of microseconds, and a list of bytes is a list of texts in base64, both ways.
    """

    plainValues: bool = False


class FetchFeatureValuesRequest(ValuesRequest):
    """fetchFeatureValues: one entity of a view."""

    featureView: str
    dataKey: DataKey
    dataFormat: DataFormat = "KEY_VALUE"


class FetchFeatureValuesResponse(Message):
    """The values of an entity, as features or as one JSON object."""

    dataKey: DataKey
    keyValues: KeyValues | None = None
    protoStruct: dict[str, Any] | None = None


class StreamingFetchFeatureValuesRequest(ValuesRequest):
    """streamingFetchFeatureValues: some entities of a view."""

    featureView: str
    dataKeys: list[DataKey]
    dataFormat: DataFormat = "KEY_VALUE"


class StreamingFetchFeatureValuesResponse(Message):
    """What could be fetched, or the keys of what could not, and why."""

    status: RpcStatus = RpcStatus()
    data: list[FetchFeatureValuesResponse] = Field(default_factory=list)
    dataKeysWithError: list[DataKey] = Field(default_factory=list)


class ValueAndTimestamp(Message):
    """A value, and from when it is."""

    value: FeatureValue
    timestamp: Timestamp | None = None


class FeatureToWrite(Feature):
    """A feature to write: a value, or a value and from when it is."""

    valueAndTimestamp: ValueAndTimestamp | None = None

    @model_validator(mode="after")
    def _at_most_one(self) -> FeatureToWrite:
        if self.value is not None and self.valueAndTimestamp is not None:
            raise ValueError("a feature has either value or valueAndTimestamp, not both")
        return self

    @property
    def value_to_write(self) -> FeatureValue | None:
        """The value, None for null."""
        return self.valueAndTimestamp.value if self.valueAndTimestamp else self.value

    @property
    def generated_at(self) -> datetime | None:
        """From when the value is, None where the request does not say it."""
        if self.valueAndTimestamp is not None and self.valueAndTimestamp.timestamp is not None:
            return self.valueAndTimestamp.timestamp
        value = self.value_to_write
        return value.metadata.generateTime if value and value.metadata else None


class DataKeyAndFeatureValues(Message):
    """Values to write for an entity."""

    dataKey: DataKey
    features: list[FeatureToWrite]


class DirectWriteRequest(ValuesRequest):
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
