"""The recall that a search is expected to have at least."""

from __future__ import annotations

from trialrun.model.scenario import ExpectedSearch
from trialrun.runtime.feature_view.search import SearchResult
from trialrun.runtime.scenario.environment import UnmetExpectation
from trialrun.runtime.scenario.steps.search import compare_recall


def test_a_recall_below_the_least_is_not_as_expected() -> None:
    expect = ExpectedSearch(recall=0.95)
    assert list(compare_recall(expect, SearchResult((), 0.95))) == []
    assert list(compare_recall(expect, SearchResult((), 0.9))) == [
        UnmetExpectation(expect.location("recall"), "a recall of at least 0.95", "0.9")
    ]
