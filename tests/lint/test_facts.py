"""Facts are named tuples that a rule declares, and are the same after a pipe and in the cache."""

from __future__ import annotations

import json
import pickle
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from tests.cases import each_of
from trialrun.lint import registry
from trialrun.lint.engine import Linter
from trialrun.lint.file_result import Fact, FileResult
from trialrun.lint.rule import declaration
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import Selection
from trialrun.workspace.check import ResultAccumulator
from trialrun.workspace.result_cache import from_json, to_json

FIXTURES = Path(__file__).parents[2] / "fixtures"
WORKSPACE_RULES = [rule.id for rule in registry.everything() if rule.gatherers]


@cache
def reports() -> tuple[FileResult, ...]:
    selection = Selection(frozenset(WORKSPACE_RULES))
    linter = Linter(selection, now=datetime(2026, 11, 20, tzinfo=UTC), session_types=lambda: session_types(()))
    files = sorted(path for path in FIXTURES.rglob("*.yaml"))
    return tuple(linter.lint(path.read_bytes(), path.name) for path in files)


def facts_of(rule_id: str) -> list[Fact]:
    return [fact for report in reports() for fact in report.facts if fact.rule == rule_id]


@each_of(WORKSPACE_RULES)
def test_facts_are_of_the_classes_that_the_rule_declares(rule_id: str) -> None:
    assert {type(fact.value) for fact in facts_of(rule_id)} <= set(registry.fact_types(rule_id).values())


@each_of(WORKSPACE_RULES)
def test_classes_of_facts_have_names(rule_id: str) -> None:
    gatherers = [declaration(gatherer) for gatherer in registry.load(rule_id).gatherers]
    fields = {field for gatherer in gatherers for kind in gatherer.facts for field in kind._fields}
    assert {key for gatherer in gatherers for key in gatherer.keys} <= fields
    assert len({kind for gatherer in gatherers for kind in gatherer.facts}) == len(registry.fact_types(rule_id))


@each_of(WORKSPACE_RULES)
def test_facts_of_fixtures_are_seen(rule_id: str) -> None:
    assert facts_of(rule_id)


def test_facts_survive_the_cache() -> None:
    for report in reports():
        kept = from_json(json.loads(json.dumps(to_json(report))), report.path)
        assert kept.facts == report.facts
        assert [type(fact.value) for fact in kept.facts] == [type(fact.value) for fact in report.facts]


def test_facts_survive_a_pipe() -> None:
    for report in reports():
        sent = pickle.loads(pickle.dumps(report.facts))
        assert sent == report.facts
        assert [type(fact.value) for fact in sent] == [type(fact.value) for fact in report.facts]


def test_results_survive_a_pipe() -> None:
    for report in reports():
        sent = pickle.loads(pickle.dumps(report))
        assert sent == report
        assert [type(fact.value) for fact in sent.facts] == [type(fact.value) for fact in report.facts]


def test_what_says_the_same_in_facts_that_were_sent_is_kept_once() -> None:
    row = pickle.dumps(next(report for report in reports() if report.facts))
    first, second = (pickle.loads(row).facts[0] for _ in range(2))
    assert first.resource is second.resource
    assert all(own is other for own, other in zip(first.value, second.value, strict=True) if isinstance(own, str))


def test_many_facts_are_packed_until_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["trialrun.workspace.check"], "MAX_UNPACKED_FACTS", 20)
    looked_at, kept = ResultAccumulator(), 0
    for report in reports():
        looked_at.add(report)
        kept = max(kept, len(looked_at._facts))
    assert kept < 20 < len(looked_at._packed) * 20
    expected = [fact for report in reports() for fact in report.facts]
    assert [(type(fact.value).__name__, fact) for fact in looked_at.facts] == [
        (type(fact.value).__name__, fact) for fact in expected
    ]
    known = looked_at.facts
    for report in reports():
        looked_at.add(report)
    assert known is looked_at.facts
    assert looked_at.facts == expected * 2
