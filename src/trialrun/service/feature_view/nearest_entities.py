"""Nearest-entity searches: a query of a request into a question of the runtime, and its answer into a response."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.index.interface import NumericFilter as Numeric
from trialrun.runtime.feature_view.index.interface import StringFilter as String
from trialrun.runtime.feature_view.search import SearchHit, SearchRequest
from trialrun.service.error import invalid_argument
from trialrun.service.feature_view.entity_values import open_reader
from trialrun.service.feature_view.messages import (
    DEFAULT_NEIGHBOR_COUNT,
    FoundNeighbor,
    NearestNeighborQuery,
    NearestNeighbors,
    NumericFilter,
    SearchNearestEntitiesRequest,
    SearchNearestEntitiesResponse,
)
from trialrun.service.feature_view.values import entity_id_text, parse_data_key, to_entity_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trialrun.runtime.feature_view.store.interface import EntityId
    from trialrun.runtime.feature_view.trial_run import TrialRun
    from trialrun.service.feature_view.entity_values import ValueReader
    from trialrun.service.feature_view.view_store import ViewEntry


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
