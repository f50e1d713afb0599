"""The step `search`: the nearest entities of an entity or of a vector are compared with those expected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.index.interface import NumericFilter, StringFilter
from trialrun.runtime.feature_view.search import DEFAULT_COUNT, Answer, Found, Question, search
from trialrun.runtime.scenario.compare import is_as_expected
from trialrun.runtime.scenario.environment import short, subject
from trialrun.runtime.scenario.events import CannotPlay, Done, Event, Unmet
from trialrun.runtime.scenario.expected_values import REFUSALS, features, id_of, layout_of, not_refused, refused, values
from trialrun.runtime.scenario.format import id_text, number_text

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedNeighbor, ExpectedSearch, SearchStep
    from trialrun.runtime.declaration import Declared
    from trialrun.runtime.feature_view.store.interface import Layout
    from trialrun.runtime.scenario.environment import Stage

TOLERANCE = 0.000001
"""How far a distance may be from the one expected: vectors are single precision numbers."""


def play(step: SearchStep, stage: Stage) -> Iterator[Event]:
    """Search a view as it is served now."""
    view = stage.view(step, step.view)
    _touch(step, view, stage)
    told = f"{stage.now()} search {short(view)}"
    try:
        layout = layout_of(view, stage)
        answer = search(view, stage.store(view), stage.indexes, _question(step, layout))
    except REFUSALS as error:
        yield Done(f"{told}: refused: {error}")
        yield from refused(step, step.expect, error)
        return
    yield Done(f"{told}: {_told(answer)}")
    yield from not_refused(step.expect, _told(answer))
    if step.expect:
        yield from _neighbors(step.expect, answer, layout, view, stage)
        yield from recall(step.expect, answer)


def _touch(step: SearchStep, view: Declared[FeatureView], stage: Stage) -> None:
    stage.seen.touch("views", subject(view))
    columns = [one.column or "" for one in (*(step.stringFilters or ()), *(step.numericFilters or ()))]
    stage.seen.touch("filterColumns", *(subject(view, column) for column in columns))
    index = view.node.indexConfig or view.node.vectorSearchConfig
    if step.perCrowdingAttribute and index and index.crowdingColumn:
        stage.seen.touch("crowdingColumns", subject(view, index.crowdingColumn))


def _question(step: SearchStep, layout: Layout) -> Question:
    expect = step.expect
    neighbors = (expect.neighbors if expect else None) or ()
    question = Question(
        vector=step.vector,
        count=step.count or DEFAULT_COUNT,
        strings=tuple(
            StringFilter(one.column or "", tuple(one.allow or ()), tuple(one.deny or ()))
            for one in step.stringFilters or ()
        ),
        numbers=tuple(
            NumericFilter(one.column or "", one.operator or "EQUAL", one.value or 0)
            for one in step.numericFilters or ()
        ),
        per_crowding_attribute=step.perCrowdingAttribute,
        returns_values=any(one.values for one in neighbors),
        measures_recall=expect is not None and expect.recall is not None,
    )
    return question if step.vector is not None else replace(question, entity=id_of(layout, step, "entity"))


def _neighbors(
    expect: ExpectedSearch, answer: Answer, layout: Layout, view: Declared[FeatureView], stage: Stage
) -> Iterator[Event]:
    if expect.neighbors is None:
        return
    tolerance = TOLERANCE if expect.tolerance is None else expect.tolerance
    for index, expected in enumerate(expect.neighbors):
        got = answer.neighbors[index] if index < len(answer.neighbors) else None
        try:
            yield from _neighbor(expected, got, layout, tolerance)
        except CannotPlay as error:
            yield error.mistake
        yield from features(expected, "values", expected.values, layout, view, stage)
    further = answer.neighbors[len(expect.neighbors) :]
    if further:
        several = "no neighbors" if not expect.neighbors else "no neighbors but those named"
        yield Unmet(expect.at("neighbors"), several, f"also {_listed(further)}")


def _neighbor(expected: ExpectedNeighbor, got: Found | None, layout: Layout, tolerance: float) -> Iterator[Event]:
    id = id_of(layout, expected, "id")
    if got is None:
        yield Unmet(expected.at("id"), f"{id_text(id)} at this place", "no further neighbor")
    elif got.id != id:
        yield Unmet(expected.at("id"), f"{id_text(id)} at this place", _listed([got]))
    else:
        if expected.distance is not None and not is_as_expected(got.distance, expected.distance, tolerance=tolerance):
            wanted = f"{number_text(expected.distance)} within {number_text(tolerance)}"
            yield Unmet(expected.at("distance"), wanted, number_text(got.distance))
        yield from values(expected, expected.values or {}, got.values or {}, tolerance)


def recall(expect: ExpectedSearch, answer: Answer) -> Iterator[Event]:
    """A failure where the recall of an answer is below the least that is expected."""
    if expect.recall is not None and answer.recall is not None and answer.recall < expect.recall:
        yield Unmet(expect.at("recall"), f"a recall of at least {expect.recall:g}", f"{answer.recall:g}")


def _told(answer: Answer) -> str:
    measured = "" if answer.recall is None else f"; recall {answer.recall:g}"
    return (_listed(answer.neighbors) or "no neighbor") + measured


def _listed(neighbors: Sequence[Found]) -> str:
    return ", ".join(f"{id_text(one.id)} at {number_text(round(one.distance, 6))}" for one in neighbors)
