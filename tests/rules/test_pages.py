"""What a rule's page shows is what the rule does."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.lint import registry
from trialrun.lint.examples import example_problems, fix_safety
from trialrun.lint.rule_docs import parse_docs

NOT_SHOWN_BY_TEXT = {"unreadable-file", "internal-error"}


@each_of(registry.ids())
def test_the_examples_of_a_page_are_true(rule_id: str) -> None:
    assert list(example_problems(registry.load(rule_id))) == []


@each_of([id_ for id_ in registry.ids() if id_ not in NOT_SHOWN_BY_TEXT])
def test_a_page_has_a_law_a_source_and_examples_of_both_sorts(rule_id: str) -> None:
    shown = parse_docs(registry.load(rule_id).doc)
    assert shown.summary.endswith(".")
    assert shown.specification
    assert shown.of_kind("good")
    assert any(example.expected for example in shown.of_kind("bad"))
    assert not any(example.expected for example in shown.of_kind("good"))


@each_of(registry.ids())
def test_a_page_of_a_rule_with_a_fix_shows_what_it_makes(rule_id: str) -> None:
    rule = registry.load(rule_id)
    assert bool(fix_safety(rule)) == bool(parse_docs(rule.doc).of_kind("fixed"))
