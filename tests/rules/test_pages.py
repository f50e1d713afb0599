"""What a rule's page shows is what the rule does."""

from __future__ import annotations

import pytest

from trialrun.lint import registry
from trialrun.lint.examples import broken_promises
from trialrun.lint.registry_docs import fix_word
from trialrun.lint.rule_docs import page

NOT_SHOWN_BY_TEXT = {"unreadable-file", "internal-error"}


@pytest.mark.parametrize("rule_id", registry.ids())
def test_the_examples_of_a_page_are_true(rule_id: str) -> None:
    assert list(broken_promises(registry.load(rule_id))) == []


@pytest.mark.parametrize("rule_id", [one for one in registry.ids() if one not in NOT_SHOWN_BY_TEXT])
def test_a_page_has_a_law_a_source_and_examples_of_both_sorts(rule_id: str) -> None:
    shown = page(registry.load(rule_id).doc)
    assert shown.law.endswith(".")
    assert shown.specification
    assert shown.of_sort("good")
    assert any(example.arrows for example in shown.of_sort("bad"))
    assert not any(example.arrows for example in shown.of_sort("good"))


@pytest.mark.parametrize("rule_id", registry.ids())
def test_a_page_of_a_rule_with_a_fix_shows_what_it_makes(rule_id: str) -> None:
    rule = registry.load(rule_id)
    assert bool(fix_word(rule)) == bool(page(rule.doc).of_sort("fixed"))
