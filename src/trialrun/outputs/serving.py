"""What a view serves, and what a search finds, as programs read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trialrun.report.format_value import json_value, z_form

if TYPE_CHECKING:
    from trialrun.runtime.feature_view.search import Answer
    from trialrun.runtime.feature_view.store.interface import EntityId, Served


def fetch_object(name: str, served: Sequence[Served], missing: Sequence[EntityId]) -> dict[str, Any]:
    """The values of entities of the view of a name, and the ids that it does not serve."""
    entities = [
        {
            "id": list(entity.id),
            "values": {feature: json_value(value) for feature, value in entity.values.items()},
            "timestamp": entity.timestamp and z_form(entity.timestamp),
        }
        for entity in served
    ]
    return {"version": 1, "view": name, "entities": entities, "missing": [list(id) for id in missing]}


def search_object(name: str, answer: Answer) -> dict[str, Any]:
    """The nearest entities of the view of a name, with their values and the recall where these were asked for."""
    neighbors: list[dict[str, Any]] = []
    for neighbor in answer.neighbors:
        entry: dict[str, Any] = {"id": list(neighbor.id), "distance": json_value(neighbor.distance)}
        if neighbor.values is not None:
            entry["values"] = {feature: json_value(value) for feature, value in neighbor.values.items()}
        neighbors.append(entry)
    recall = {} if answer.recall is None else {"recall": answer.recall}
    return {"version": 1, "view": name, "neighbors": neighbors, **recall}
