"""A prefilter saves calls of checks, and changes no finding."""

import json
from collections.abc import Iterable
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.corpus import corpus
from tests.cases import number_of_cases, share_of
from tests.model.shapes import message_of
from trialrun.lint import registry, visitor
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.file_result import FileResult
from trialrun.lint.rule import session_types
from trialrun.lint.rule_docs import parse_docs
from trialrun.lint.selection import Selection
from trialrun.lint.visitor import Call, CallGroup
from trialrun.model.kinds import RESOURCES, model_of
from trialrun.model.node import Node

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
SUFFIXES = {".yaml", ".yml", ".json"}
OF_MESSAGES = 40
"""The share of cases of each message that are tried always."""


def ungrouped(calls: Iterable[Call]) -> list[CallGroup]:
    return [(None, None, tuple(calls))]


def new_linter() -> Linter:
    selection = Selection(frozenset(registry.ids()), option_values={"cel-extensions": "strings"})
    return Linter(selection, now=EXAMPLE_TIME, session_types=lambda: session_types([]), with_fixes=False)


LINTER = new_linter()
UNFILTERED = new_linter()


def lint(linter: Linter, data: bytes, path: str, part: str | None) -> FileResult:
    return linter.lint(data, path) if part is None else linter.lint_message(data, path, part)


def assert_equal_without_prefilters(data: bytes, path: str, part: str | None = None) -> None:
    with mock.patch.object(visitor, "_groups", ungrouped):
        unfiltered = lint(UNFILTERED, data, path, part)
    assert lint(LINTER, data, path, part) == unfiltered


@pytest.mark.generated
def test_fixtures_have_the_same_findings_without_prefilters() -> None:
    for path in share_of(sorted(path for path in FIXTURES.rglob("*") if path.suffix in SUFFIXES), 4):
        assert_equal_without_prefilters(path.read_bytes(), path.name)


def test_examples_of_pages_have_the_same_findings_without_prefilters() -> None:
    for rule_id in registry.ids():
        for example in parse_docs(registry.load(rule_id).doc).examples:
            assert_equal_without_prefilters(example.data, "example.yaml", example.model)


@pytest.mark.generated
def test_a_corpus_has_the_same_findings_without_prefilters() -> None:
    for file in corpus(number_of_cases(100), seed=5):
        assert_equal_without_prefilters(file.content, file.path)


def filtered_parts() -> list[type[Node]]:
    """The messages of resources for which a check has a prefilter."""
    for kind in RESOURCES:
        LINTER.visit_plan(kind).node_plan(model_of(kind))
    plans = {model: plan for kind in RESOURCES for model, plan in LINTER.visit_plan(kind).node_plans.items()}
    return [model for model, plan in plans.items() if any(prefilter for prefilter, _, _ in plan.groups)]


@pytest.mark.parametrize("model", filtered_parts())
@settings(max_examples=number_of_cases(800, OF_MESSAGES), deadline=None)
@given(st.data())
def test_generated_messages_have_the_same_findings_without_prefilters(model: type[Node], data: st.DataObject) -> None:
    value = data.draw(message_of(model))
    assert_equal_without_prefilters(json.dumps(value).encode(), "generated.yaml", model.__name__)
