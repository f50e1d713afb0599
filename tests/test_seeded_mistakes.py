"""Each mistake that the benchmarks seed is found by its rule, and by nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks.configs import channel_config
from benchmarks.mistakes import CONFIG_MISTAKES, VIEW_MISTAKES, DoesNotApply, Mistake
from benchmarks.random_source import Dice
from benchmarks.views import Resource, feature_view
from tests.cases import each_of
from trialrun.diagnostic import Severity
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.settings import Profiles, Settings

Draw = Callable[..., Resource]


def spoiled(mistake: Mistake, draw: Draw) -> Resource:
    """The first drawn resource with a place for a mistake, which is made in it."""
    for number in count():
        resource = draw(Dice(f"mistake/{number}"), number, lines=120)
        try:
            mistake.make(resource)
        except DoesNotApply:
            continue
        return resource
    raise AssertionError


CASES = [
    pytest.param(mistake, draw, id=f"{mistake.rule} {draw.__name__} {number}")
    for mistakes, draw in ((VIEW_MISTAKES, feature_view), (CONFIG_MISTAKES, channel_config))
    for number, mistake in enumerate(mistakes)
    if not mistake.yaml_only
]


@each_of(CASES)
def test_a_seeded_mistake_is_found_by_its_rule_alone(mistake: Mistake, draw: Draw) -> None:
    linter = Linter(Profiles(Settings()).whole, now=EXAMPLE_TIME, session_types=lambda: session_types([]))
    text = json.dumps(spoiled(mistake, draw), ensure_ascii=False, indent=2)
    found = linter.lint(text.encode(), "file.json", is_explicit=True).diagnostics
    assert {file.rule for file in found if file.severity is not Severity.NOTE} == {mistake.rule}
