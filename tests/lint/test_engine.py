"""Facts of rules are the same after a pipe and in the cache; findings of the engine have their places."""

import json
import pickle
import shutil
import sys
from collections import Counter
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from tests.cases import each_of
from tests.program import Run
from trialrun.diagnostic import Diagnostic, Range
from trialrun.lint import registry, warm_up
from trialrun.lint.engine import Linter
from trialrun.lint.file_result import Fact, FileResult
from trialrun.lint.positions import RangeIndex
from trialrun.lint.rule import declaration, session_types
from trialrun.lint.selection import Selection, default_selection
from trialrun.text import Position, Source
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
        facts = sorted(report.facts, key=lambda fact: list(registry.files()).index(fact.rule))
        kept_facts = sorted(kept.facts, key=lambda fact: list(registry.files()).index(fact.rule))
        assert kept_facts == facts
        assert [type(fact.value) for fact in kept_facts] == [type(fact.value) for fact in facts]


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


def on_a_line(start: int, end: int) -> Range:
    return Range(Position(1, start), Position(1, end))


RANGES = RangeIndex([on_a_line(20, 30), on_a_line(1, 10), on_a_line(5, 25)])


@each_of([(1, 10, True), (2, 9, True), (1, 11, False), (6, 25, True), (19, 26, False), (21, 30, True), (31, 31, False)])
def test_around_a_place(start: int, end: int, surrounded: bool) -> None:
    assert RANGES.any_encloses(on_a_line(start, end)) is surrounded


@each_of([(1, 10, True), (2, 24, False), (2, 25, True), (19, 29, False), (6, 30, True)])
def test_inside_of_a_place(start: int, end: int, holds: bool) -> None:
    assert RANGES.any_within(on_a_line(start, end)) is holds


def test_no_ranges() -> None:
    assert not RangeIndex([])
    assert not RangeIndex([]).any_encloses(on_a_line(1, 1))
    assert not RangeIndex([]).any_within(on_a_line(1, 9))


NOW = datetime(2026, 11, 20, tzinfo=UTC)
USUAL = {
    "cel-type",
    "duplicate-item",
    "invalid-label",
    "invalid-language-tag",
    "non-canonical-form",
    "null-value",
    "out-of-range",
    "unknown-enum-value",
    "unknown-field",
}


def test_the_samples_have_usual_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Diagnostic] = []
    lint = Linter.lint

    def logged(linter: Linter, data: bytes, path: str) -> FileResult:
        result = lint(linter, data, path)
        found.extend(result.diagnostics)
        return result

    monkeypatch.setattr(Linter, "lint", logged)
    warm_up.lint_samples(NOW)
    rules = {diagnostic.rule for diagnostic in found}
    assert rules >= USUAL
    assert not rules & {"internal-error", "syntax-error", "unknown-kind"}
    assert any(diagnostic.fix for diagnostic in found)


STRATEGY = """\
kind: ChannelConfig
name: projects/acme/locations/us/brands/acme/channelConfigs/summer
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          suggestedMenuItems: [Fries]
          conditionExpression: """

CONDITIONS = [
    ("sesion.turn = 1", ["sesion", "="]),
    ("'''😀'' == session.store && sesion.turn = 1'", ["sesion", "="]),
    ('"\\"\\U0001F600\\" == session.store \\\n            && \\x73esion.turn > 1"', [r"\x73esion"]),
    ("|\n            // 😀\n            session.turn > 1\n              && order.itms.size() > 2\n", ["itms"]),
    (">\n            session.turn > 1\n\n            and\n              order.itms.size() > 2\n", ["and", "itms"]),
    (">-\n            order.items.size()\n", ["order.items.size()"]),
    ("|\n            order.items.size()\n", ["order.items.size()"]),
    ("session.turn > 1\n            && order.itms.size() > 2\n            && session.trn > 3", ["itms", "trn"]),
    ("not session.turn > 1", ["not"]),
    ('""', ['""']),
]


@each_of([(scalar, tokens, ends) for ends in ["\n", "\r\n"] for scalar, tokens in CONDITIONS])
def test_the_tokens_of_a_condition(scalar: str, tokens: list[str], ends: str) -> None:
    assert pointed_at((STRATEGY + scalar + "\n").replace("\n", ends)) == tokens


CUSTOMIZATION = """\
kind: ChannelConfig
name: projects/acme/locations/us/brands/acme/channelConfigs/winter
type: AGENT_CUSTOMIZATION
operationsConfig:
  defaultLanguageCode: """


@each_of(
    [
        ("en-UK", ["UK"]),
        ('"\\x65n-UK"', ["UK"]),
        ("'en_US'", ["_"]),
        ("|-\n    en-UK", ["UK"]),
        ('""', ['""']),
        ("''", ["''"]),
    ]
)
def test_the_subtag_of_a_language(scalar: str, tokens: list[str]) -> None:
    assert pointed_at(CUSTOMIZATION + scalar + "\n") == tokens


def test_a_condition_in_json() -> None:
    condition = r"\"\ud83d\ude00\" == session.store \u0026\u0026 sesion.turn = 1\n\tand \u006frder.itms.length > 2"
    text = (
        '{"type": "UPSELL_STRATEGY", "name": "projects/a/locations/b/brands/c/channelConfigs/d"'
        ', "operationsConfig": {"upsellStrategy": {"upsells": [{"priority": 1, "celUpsell": {'
        f'"suggestedMenuItems": ["A"], "conditionExpression": "{condition}"}}}}]}}}}}}'
    )
    assert pointed_at(text, "config.json") == ["sesion", "=", "and", "itms"]


def pointed_at(text: str, path: str = "config.yaml") -> list[str]:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    linter = Linter(default_selection(), now=now, session_types=lambda: session_types([]))
    found = sorted(
        linter.lint(text.encode(), path, is_explicit=True).diagnostics, key=lambda diagnostic: diagnostic.sort_key
    )
    source = Source(path, text)
    return [text[source.offset(one.range.start) : source.offset(one.range.end)] for one in found]


KNOWN_FINDINGS = Path(__file__).parent / "known_findings"
BASELINE = "trialrun-baseline.json"


def fingerprints(path: Path) -> Counter[tuple[str, str]]:
    return Counter((one["fingerprint"], one["rule"]) for one in json.loads(path.read_text())["findings"])


def test_a_baseline_that_an_earlier_version_wrote_is_valid_today(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "known"
    shutil.copytree(KNOWN_FINDINGS, folder)
    written = fingerprints(folder / BASELINE)
    ran = run("baseline", "write", "today.json", "--isolated", "--no-cache", "--at=2026-11-01", cwd=folder)
    assert ran.code == 0, ran.err
    assert written - fingerprints(folder / "today.json") == Counter()
