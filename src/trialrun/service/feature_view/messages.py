"""The requests and responses of the operations on FeatureViews; the specification shows none, so the shapes are ours.

They are those of a public service of the same resources, where that has them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, field_serializer, field_validator, model_validator

from trialrun.model.feature_view import FeatureView
from trialrun.runtime.feature_view.index.interface import Operator
from trialrun.service.error import Detail, detail_json, read_detail
from trialrun.service.feature_view.feature_value import DataKey, FeatureValue
from trialrun.service.iam import Policy
from trialrun.service.lint_request import LintWarning
from trialrun.service.message import Double, Int64, Int64Number, Message, Timestamp
from trialrun.service.resource import Json, Resource


class SyncFeatureViewRequest(Message):
    """sync: one view, now."""

    featureView: str


class SyncFeatureViewResponse(Message):
    """The name of the sync that was made."""

    featureViewSync: str


class RpcStatus(Message):
    """How something ended: OK, or why not, with details as a refused operation has them."""

    code: int = 0
    message: str = ""
    details: list[Annotated[Detail, Field(discriminator="type")]] = Field(default_factory=list)

    @field_validator("details", mode="before")
    @classmethod
    def _read_details(cls, details: Any) -> Any:
        return [read_detail(detail) for detail in details] if isinstance(details, list) else details

    @field_serializer("details", when_used="json")
    def _details_json(self, details: list[Detail]) -> list[dict[str, Any]]:
        return [detail_json(detail) for detail in details]


class RunTime(Message):
    """From when to when something ran."""

    startTime: Timestamp
    endTime: Timestamp


class SyncSummary(Message):
    """What a sync did; `rowSynced` counts the entities that are served after it."""

    rowSynced: Int64
    rowsRead: Int64
    new: Int64
    changed: Int64
    unchanged: Int64
    vanished: Int64


class SyncNote(Message):
    """Something that a sync tells about rows, or a check that it skipped."""

    code: str
    message: str
    examples: list[str] = Field(default_factory=list)


class FeatureViewSync(Message):
    """A sync of a view: when it ran, how it ended, what it found, and the rows of the assumptions that applied."""

    name: str
    createTime: Timestamp
    runTime: RunTime
    finalStatus: RpcStatus
    syncSummary: SyncSummary | None = None
    findings: list[SyncNote] = Field(default_factory=list)
    skippedChecks: list[SyncNote] = Field(default_factory=list)
    assumptions: list[str] = Field(default_factory=list)


class ListFeatureViewSyncsResponse(Message):
    """A page of syncs."""

    featureViewSyncs: list[FeatureViewSync]
    nextPageToken: str = ""


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
    featureView: str


class FetchFeatureValuesRequest(ValuesRequest):
    """fetchFeatureValues: one entity of a view."""

    dataKey: DataKey
    dataFormat: DataFormat = "KEY_VALUE"


class FetchFeatureValuesResponse(Message):
    """The values of an entity, as features or as one JSON object.

    It has the JSON of a DataKey and of KeyValues, which is made of what is served and not checked again.
    """

    dataKey: Json
    keyValues: Json | None = None
    protoStruct: Json | None = None

    def json_object(self) -> Json:
        """The message as JSON writes it."""
        values = {"protoStruct": self.protoStruct} if self.keyValues is None else {"keyValues": self.keyValues}
        return {"dataKey": self.dataKey, **values}


class StreamingFetchFeatureValuesRequest(ValuesRequest):
    """streamingFetchFeatureValues: some entities of a view."""

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


DEFAULT_NEIGHBOR_COUNT = 10
"""The neighbors of a query that names no count, or 0, as clients write an unset number."""


class Embedding(Message):
    """A vector."""

    value: list[Double]


class StringFilter(Message):
    """Keeps entities with an allowed token, and drops those with a denied one."""

    name: str
    allowTokens: list[str] = Field(default_factory=list)
    denyTokens: list[str] = Field(default_factory=list)


class NumericFilter(Message):
    """Keeps entities whose number compares so; exactly one value is set."""

    name: str
    op: Operator
    valueInt: Int64 | None = None
    valueFloat: Double | None = None
    valueDouble: Double | None = None


class SearchParameters(Message):
    """How thoroughly to search a tree."""

    approximateNeighborCandidates: Int64Number | None = None
    leafNodesSearchFraction: Double | None = None


class NearestNeighborQuery(Message):
    """What to search by: an entity of the view, or a vector, which wins over an entity."""

    entityId: str | None = None
    embedding: Embedding | None = None
    neighborCount: Int64Number = DEFAULT_NEIGHBOR_COUNT
    stringFilters: list[StringFilter] = Field(default_factory=list)
    numericFilters: list[NumericFilter] = Field(default_factory=list)
    perCrowdingAttributeNeighborCount: Int64Number | None = None
    parameters: SearchParameters | None = None


class SearchNearestEntitiesRequest(ValuesRequest):
    """searchNearestEntities: the entities of a view that are nearest to a query."""

    query: NearestNeighborQuery
    returnFullEntity: bool = False


class FoundNeighbor(Message):
    """An entity that is near; `entityKeyValues` are its values where they were asked for."""

    entityId: str
    distance: Double
    entityKeyValues: FetchFeatureValuesResponse | None = None


class NearestNeighbors(Message):
    """The nearest entities, the nearest first."""

    neighbors: list[FoundNeighbor]


class SearchNearestEntitiesResponse(Message):
    """What was found, and the rows of the assumptions that applied."""

    nearestNeighbors: NearestNeighbors
    assumptions: list[str] = Field(default_factory=list)


class CreateFeatureViewRequest(Message):
    """create: a view under a store; its name is made of both ids."""

    parent: str
    featureViewId: str
    featureView: Resource
    runSyncImmediately: bool = False


class CreateFeatureViewResponse(Message):
    """The view as it was created, what the linter remarks, and the sync that was run, if one was, and how it ended."""

    featureView: FeatureView
    warnings: list[LintWarning] = Field(default_factory=list)
    featureViewSync: str | None = None
    syncStatus: RpcStatus | None = None


class ListFeatureViewsResponse(Message):
    """A page of views; `nextPageToken` is empty at the end."""

    featureViews: list[FeatureView]
    nextPageToken: str = ""


class PatchFeatureViewRequest(Message):
    """patch: the fields of `updateMask`, or those that the view sets if there is none; `*` is every field."""

    featureView: Resource
    updateMask: str | None = None


class PatchFeatureViewResponse(Message):
    """The view as it is now, and what the linter remarks."""

    featureView: FeatureView
    warnings: list[LintWarning] = Field(default_factory=list)


class DeleteFeatureViewRequest(Message):
    """delete: one view with all that is its own; with an etag only that version of it."""

    name: str
    etag: str | None = None


class DeleteFeatureViewResponse(Message):
    """Nothing is left."""


class DedicatedServingEndpoint(Message):
    """Where the values of a store are served."""

    publicEndpointDomainName: str = ""


class OnlineStore(Message):
    """A store: `bigtable` is there in one for keys and values, `optimized` in one for searches too.

    Documents declare stores without times and labels: the times are those at which the service began.
    """

    name: str
    createTime: Timestamp
    updateTime: Timestamp
    labels: dict[str, str] = Field(default_factory=dict)
    state: str = "STABLE"
    bigtable: dict[str, Any] | None = None
    optimized: dict[str, Any] | None = None
    dedicatedServingEndpoint: DedicatedServingEndpoint | None = None


class ListFeatureOnlineStoresResponse(Message):
    """A page of stores; `nextPageToken` is empty at the end."""

    featureOnlineStores: list[OnlineStore]
    nextPageToken: str = ""


class GenerateFetchAccessTokenRequest(Message):
    """generateFetchAccessToken: a token for reading the values of a view."""

    featureView: str


class GenerateFetchAccessTokenResponse(Message):
    """The token, and when it expires."""

    accessToken: str
    expireTime: Timestamp


class GetIamPolicyRequest(Message):
    """getIamPolicy: the policy of a view."""

    resource: str
    requestedPolicyVersion: int = 1


class SetIamPolicyRequest(Message):
    """setIamPolicy: a policy for a view; the mask names `bindings` or `version`, both without one."""

    resource: str
    policy: Policy
    updateMask: str | None = None


class TestIamPermissionsRequest(Message):
    """testIamPermissions: which of some permissions the caller has on a view."""

    __test__ = False

    resource: str
    permissions: Annotated[list[str], Field(max_length=100)]


class TestIamPermissionsResponse(Message):
    """Those that the caller has."""

    __test__ = False

    permissions: list[str]
