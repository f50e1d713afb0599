"""The catalogue: its page is up to date, its words are those that selections and dispatch rest on."""

from __future__ import annotations

from pathlib import Path

from trialrun.lint import registry
from trialrun.lint.examples import rules_markdown
from trialrun.lint.rule import subject_names
from trialrun.lint.selection import OFF_BY_DEFAULT
from trialrun.lint.settings.compiled import TABLES
from trialrun.lint.settings.resolver import OF_TRIAL_RUNS
from trialrun.lint.visitor import ALSO_ON_PARTS, LOADED_ON_DEMAND
from trialrun.model.misfit import MISFITS

PAGE = Path(__file__).parent.parent.parent / "rules" / "README.md"
OUTSIDE_MODELS = {kind.__name__ for kind in MISFITS} | {
    *("ParseError", "UnknownKind", "Wrapper", "ResourceTexts"),
    *("UnusedSuppression", "ExpiredSuppression", "UnexplainedSuppression", "UnknownRuleName"),
}


def test_the_page_of_the_catalogue_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == rules_markdown(), "trialrun rules --output-format markdown"


def test_the_default_set_is_what_the_rules_say() -> None:
    off = {rule.id for rule in registry.everything() if not rule.on}
    assert off == OFF_BY_DEFAULT & set(registry.ids())


def test_rules_loaded_on_demand_look_at_nothing_in_a_model() -> None:
    outside = {
        rule.id
        for rule in registry.everything()
        if all(name in OUTSIDE_MODELS for check in rule.checks for name in subject_names(check))
    }
    assert outside == LOADED_ON_DEMAND - {*ALSO_ON_PARTS.values()}


def test_every_misfit_has_its_rule() -> None:
    assert {kind.rule for kind in MISFITS} <= set(registry.ids())


def test_every_option_of_a_rule_is_a_setting() -> None:
    assert {name for rule in registry.everything() for name in rule.options} == {
        *TABLES["OptionSettings"],
        *OF_TRIAL_RUNS,
    }
