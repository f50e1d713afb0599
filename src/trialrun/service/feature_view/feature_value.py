"""The keys of entities and the values of features in requests and responses, and the older forms of requests."""

from __future__ import annotations

from pydantic import model_validator

from trialrun.runtime.feature_view.column import Type
from trialrun.service.message import Base64, Double, Int64, Message, Timestamp
from trialrun.service.rpc import Json

DATA_FORMAT_UNSPECIFIED = "FEATURE_VIEW_DATA_FORMAT_UNSPECIFIED"


class CompositeKey(Message):
    """The values of the entity id columns, in their order."""

    parts: list[str]


MAX_KEY = 64 * 1024
"""Characters of a key; those of the public service are 4 KB at most."""


class DataKey(Message):
    """The key of an entity: exactly one member is set; `key` is the same as a composite key of one part."""

    key: str | None = None
    compositeKey: CompositeKey | None = None

    @model_validator(mode="after")
    def _exactly_one(self) -> DataKey:
        if (self.key is None) == (self.compositeKey is None):
            seen = "neither is set" if self.key is None else "both are set"
            raise ValueError(f"a data key has either key or compositeKey, and {seen}")
        if len(self.key or "") > MAX_KEY:
            raise ValueError(f"the key has more than {MAX_KEY:,} characters; shorten it")
        return self

    @property
    def parts(self) -> tuple[str, ...]:
        """The values of the entity id columns, as texts."""
        return (self.key or "",) if self.compositeKey is None else tuple(self.compositeKey.parts)


class BoolArray(Message):
    """Booleans."""

    values: list[bool]


class DoubleArray(Message):
    """Numbers."""

    values: list[Double]


class Int64Array(Message):
    """Whole numbers."""

    values: list[Int64]


class StringArray(Message):
    """Texts."""

    values: list[str]


class BytesArray(Message):
    """Bytes."""

    values: list[Base64]


class TimestampArray(Message):
    """Moments."""

    values: list[Timestamp]


class Metadata(Message):
    """From when a value is."""

    generateTime: Timestamp | None = None


class FeatureValue(Message):
    """The value of a feature: at most one member is set, and none for null."""

    boolValue: bool | None = None
    doubleValue: Double | None = None
    int64Value: Int64 | None = None
    stringValue: str | None = None
    bytesValue: Base64 | None = None
    timestampValue: Timestamp | None = None
    boolArrayValue: BoolArray | None = None
    doubleArrayValue: DoubleArray | None = None
    int64ArrayValue: Int64Array | None = None
    stringArrayValue: StringArray | None = None
    bytesArrayValue: BytesArray | None = None
    timestampArrayValue: TimestampArray | None = None
    metadata: Metadata | None = None

    @model_validator(mode="after")
    def _at_most_one(self) -> FeatureValue:
        if len(self.model_fields_set) > 1 and len(members := self.members) > 1:
            raise ValueError(f"a value has exactly one member, not {', '.join(members)}")
        return self

    @property
    def members(self) -> list[str]:
        """The members that are set."""
        return [name for name in MEMBERS if getattr(self, name) is not None]


MEMBER_PREFIXES: dict[Type, str] = {
    "BOOL": "bool",
    "DOUBLE": "double",
    "INT64": "int64",
    "STRING": "string",
    "BYTES": "bytes",
    "TIMESTAMP": "timestamp",
}
MEMBERS = {
    f"{word}{'Array' if repeated else ''}Value": (type_, repeated)
    for repeated in (False, True)
    for type_, word in MEMBER_PREFIXES.items()
}
"""The members of a value, each with its type, and whether it is a list."""
MEMBER_NAMES = {kind: name for name, kind in MEMBERS.items()}


def prepare_format(request: Json) -> Json:
    """The data format by its present name; unspecified is the default."""
    request = dict(request)
    old = request.pop("format", None)
    chosen = request.pop("dataFormat", None) or old
    return request if chosen in (None, "", DATA_FORMAT_UNSPECIFIED) else {**request, "dataFormat": chosen}


def prepare_fetch(request: Json) -> Json:
    """The key of the entity, which older clients send as `id`."""
    request = prepare_format(request)
    old = request.pop("id", None)
    return request if "dataKey" in request or not old else {**request, "dataKey": {"key": old}}
