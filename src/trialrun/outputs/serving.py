"""What `fetch` and `search` print as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.sync import RefusedView
from trialrun.report.format_value import format_rfc3339, to_json_value

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.search import SearchResult
    from trialrun.runtime.feature_view.store import interface as store


EntityId = Annotated[list[str | int], Field(min_length=1, description="an entity id: one value per entity id column")]
Values = Annotated[
    dict[str, Any],
    Field(description="values by feature; times are RFC 3339, bytes base64, non-finite numbers are strings"),
]


class FetchedEntity(TypedDict):
    """The values of an entity."""

    id: EntityId
    values: Values
    timestamp: Annotated[str | None, Field(description="time of the newest value, RFC 3339; null if it has none")]


class Fetched(TypedDict):
    """`trialrun fetch --output-format json`."""

    version: Literal[1]
    view: str
    entities: list[FetchedEntity]
    missing: Annotated[list[EntityId], Field(description="requested but not served; the exit code is then 1")]


class Neighbor(TypedDict):
    """A search result."""

    id: EntityId
    distance: Annotated[
        float | str, Field(description="in the measure of the index config; smaller is nearer; a string if not finite")
    ]
    values: NotRequired[Annotated[Values, Field(description="only with --full")]]


class Searched(TypedDict):
    """`trialrun search --output-format json`."""

    version: Literal[1]
    view: str
    neighbors: Annotated[list[Neighbor], Field(description="nearest first; ties sorted by entity id")]
    recall: NotRequired[Annotated[float, Field(ge=0, le=1, description="only with --recall")]]


FetchOutput = Fetched | RefusedView
SearchOutput = Searched | RefusedView


def fetch_object(name: str, served: Sequence[store.ServedEntity], missing: Sequence[store.EntityId]) -> dict[str, Any]:
    """The values of entities of the view of a name, and the ids that it does not serve."""
    entities = [
        {
            "id": list(entity.id),
            "values": _values(entity.values),
            "timestamp": entity.timestamp and format_rfc3339(entity.timestamp),
        }
        for entity in served
    ]
    return {"version": 1, "view": name, "entities": entities, "missing": [list(id) for id in missing]}


def search_object(name: str, answer: SearchResult) -> dict[str, Any]:
    """The nearest entities of the view of a name, with their values and the recall where these were asked for."""
    neighbors = [
        {
            "id": list(neighbor.id),
            "distance": to_json_value(neighbor.distance),
            **({} if neighbor.values is None else {"values": _values(neighbor.values)}),
        }
        for neighbor in answer.neighbors
    ]
    recall = {} if answer.recall is None else {"recall": answer.recall}
    return {"version": 1, "view": name, "neighbors": neighbors, **recall}


def _values(values: Mapping[str, object]) -> dict[str, Any]:
    return {feature: to_json_value(value) for feature, value in values.items()}
