"""Searching the nearest entities."""

from __future__ import annotations

from pydantic import Field

from trialrun.runtime.feature_view.index.interface import Operator
from trialrun.service.feature_view.messages.values import FetchFeatureValuesResponse, ValuesRequest
from trialrun.service.message import Double, Int64, Int64Number, Message

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

    featureView: str
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
