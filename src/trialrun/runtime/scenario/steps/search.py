"""The step `search`: compares the nearest neighbors with expectations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.index.interface import NumericFilter, StringFilter
from trialrun.runtime.feature_view.search import SearchHit, SearchRequest, SearchResult
from trialrun.runtime.scenario.environment import (
    Event,
    ScenarioError,
    StepDone,
    UnmetExpectation,
    view_id,
    view_target_name,
)
from trialrun.runtime.scenario.expected_values import (
    REFUSALS,
    check_no_refusal,
    check_refusal,
    compare_values,
    read_entity_id,
    record_features,
    served_layout,
)
from trialrun.runtime.scenario.format import format_id, format_number, matches_expected

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedNeighbor, ExpectedSearch, SearchStep
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.store.interface import RowLayout
    from trialrun.runtime.scenario.environment import Environment

TOLERANCE = 0.000001
"""How far a distance may be from the one expected: vectors are single precision numbers."""


def play(step: SearchStep, environment: Environment) -> Iterator[Event]:
    """Search a view as it is served now."""
    view = environment.view(step, step.view)
    _record_targets(step, view, environment)
    intro = f"{environment.now()} search {view_id(view)}"
    try:
        layout = served_layout(view, environment)
        answer = environment.trial.search(view, _build_question(step, layout))
    except REFUSALS as error:
        yield StepDone(f"{intro}: refused: {error}")
        yield from check_refusal(step, step.expect, error)
        return
    yield StepDone(f"{intro}: {_format_answer(answer)}")
    yield from check_no_refusal(step.expect, _format_answer(answer))
    if step.expect:
        yield from _compare_neighbors(step.expect, answer, layout, view, environment)
        yield from compare_recall(step.expect, answer)


def _record_targets(step: SearchStep, view: DeclaredResource[FeatureView], environment: Environment) -> None:
    environment.recorder.record("views", view_target_name(view))
    columns = [filter_.column or "" for filter_ in (*(step.stringFilters or ()), *(step.numericFilters or ()))]
    environment.recorder.record("filterColumns", *(view_target_name(view, column) for column in columns))
    index = view.node.indexConfig or view.node.vectorSearchConfig
    if step.perCrowdingAttribute and index and index.crowdingColumn:
        environment.recorder.record("crowdingColumns", view_target_name(view, index.crowdingColumn))


def _build_question(step: SearchStep, layout: RowLayout) -> SearchRequest:
    expect = step.expect
    neighbors = (expect.neighbors if expect else None) or ()
    question = SearchRequest(
        vector=step.vector,
        count=step.count or SearchRequest.count,
        strings=tuple(
            StringFilter(string_filter.column or "", tuple(string_filter.allow or ()), tuple(string_filter.deny or ()))
            for string_filter in step.stringFilters or ()
        ),
        numbers=tuple(
            NumericFilter(numeric_filter.column or "", numeric_filter.operator or "EQUAL", numeric_filter.value or 0)
            for numeric_filter in step.numericFilters or ()
        ),
        per_crowding_attribute=step.perCrowdingAttribute,
        returns_values=any(neighbor.values for neighbor in neighbors),
        measures_recall=expect is not None and expect.recall is not None,
    )
    return question if step.vector is not None else replace(question, entity=read_entity_id(layout, step, "entity"))


def _compare_neighbors(
    expect: ExpectedSearch,
    answer: SearchResult,
    layout: RowLayout,
    view: DeclaredResource[FeatureView],
    environment: Environment,
) -> Iterator[Event]:
    if expect.neighbors is None:
        return
    tolerance = TOLERANCE if expect.tolerance is None else expect.tolerance
    for index, expected in enumerate(expect.neighbors):
        got = answer.neighbors[index] if index < len(answer.neighbors) else None
        try:
            yield from _compare_neighbor(expected, got, layout, tolerance)
        except ScenarioError as error:
            yield error.mistake
        yield from record_features(expected, "values", expected.values, layout, view, environment)
    unexpected = answer.neighbors[len(expect.neighbors) :]
    if unexpected:
        nothing_else = "no neighbors" if not expect.neighbors else "no neighbors but those named"
        yield UnmetExpectation(expect.location("neighbors"), nothing_else, f"also {_format_neighbors(unexpected)}")


def _compare_neighbor(
    expected: ExpectedNeighbor, got: SearchHit | None, layout: RowLayout, tolerance: float
) -> Iterator[Event]:
    id = read_entity_id(layout, expected, "id")
    if got is None:
        yield UnmetExpectation(expected.location("id"), f"{format_id(id)} at this place", "no further neighbor")
    elif got.id != id:
        yield UnmetExpectation(expected.location("id"), f"{format_id(id)} at this place", _format_neighbors([got]))
    else:
        if expected.distance is not None and not matches_expected(got.distance, expected.distance, tolerance=tolerance):
            wanted = f"{format_number(expected.distance)} within {format_number(tolerance)}"
            yield UnmetExpectation(expected.location("distance"), wanted, format_number(got.distance))
        yield from compare_values(expected, expected.values or {}, got.values or {}, tolerance)


def compare_recall(expect: ExpectedSearch, answer: SearchResult) -> Iterator[Event]:
    """A failure where the recall of an answer is below the least that is expected."""
    if expect.recall is not None and answer.recall is not None and answer.recall < expect.recall:
        yield UnmetExpectation(
            expect.location("recall"), f"a recall of at least {expect.recall:g}", f"{answer.recall:g}"
        )


def _format_answer(answer: SearchResult) -> str:
    recall_text = "" if answer.recall is None else f"; recall {answer.recall:g}"
    return (_format_neighbors(answer.neighbors) or "no neighbor") + recall_text


def _format_neighbors(neighbors: Sequence[SearchHit]) -> str:
    return ", ".join(
        f"{format_id(neighbor.id)} at {format_number(round(neighbor.distance, 6))}" for neighbor in neighbors
    )
