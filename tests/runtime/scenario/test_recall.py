"""The recall that a search is expected to have at least."""

from __future__ import annotations

from trialrun.model.scenario import ExpectedSearch
from trialrun.runtime.feature_view.search import Answer
from trialrun.runtime.scenario.events import Unmet
from trialrun.runtime.scenario.steps.search import recall


def test_a_recall_below_the_least_is_not_as_expected() -> None:
    expect = ExpectedSearch(recall=0.95)
    assert list(recall(expect, Answer((), 0.95))) == []
    assert list(recall(expect, Answer((), 0.9))) == [Unmet(expect.at("recall"), "a recall of at least 0.95", "0.9")]
