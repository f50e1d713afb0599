"""JSON output of `fetch` and `search`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trialrun.report.format_value import format_rfc3339, to_json_value

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.search import SearchResult
    from trialrun.runtime.feature_view.store.interface import EntityId, ServedEntity


def fetch_object(name: str, served: Sequence[ServedEntity], missing: Sequence[EntityId]) -> dict[str, Any]:
    """The values of entities of the view of a name, and the ids that it does not serve."""
    entities = [
        {
            "id": list(entity.id),
            "values": {feature: to_json_value(value) for feature, value in entity.values.items()},
            "timestamp": entity.timestamp and format_rfc3339(entity.timestamp),
        }
        for entity in served
    ]
    return {"version": 1, "view": name, "entities": entities, "missing": [list(id) for id in missing]}


def search_object(name: str, answer: SearchResult) -> dict[str, Any]:
    """The nearest entities of the view of a name, with their values and the recall where these were asked for."""
    neighbors: list[dict[str, Any]] = []
    for neighbor in answer.neighbors:
        entry: dict[str, Any] = {"id": list(neighbor.id), "distance": to_json_value(neighbor.distance)}
        if neighbor.values is not None:
            entry["values"] = {feature: to_json_value(value) for feature, value in neighbor.values.items()}
        neighbors.append(entry)
    recall = {} if answer.recall is None else {"recall": answer.recall}
    return {"version": 1, "view": name, "neighbors": neighbors, **recall}
