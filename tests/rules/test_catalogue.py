"""The catalogue: its page is up to date, its words are those that selections and dispatch rest on."""

import re
from pathlib import Path

from tests.cases import each_of
from trialrun.lint import registry
from trialrun.lint.examples import check_policy_examples, example_problems, fix_safety, rules_markdown
from trialrun.lint.policy import Policies
from trialrun.lint.policy.packs import (
    MAX_POLICIES,
    PolicyFile,
    load_policies,
    policy_files,
    read_policies,
    shipped_packs,
)
from trialrun.lint.policy.parse_policy import MAX_LENGTH
from trialrun.lint.policy.policy_document import KEYS
from trialrun.lint.rule import subject_names
from trialrun.lint.rule_docs import parse_docs
from trialrun.lint.selection import OFF_BY_DEFAULT
from trialrun.lint.settings.model import TABLES
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
    assert {rule.id for rule in registry.everything() if not rule.on} == OFF_BY_DEFAULT & set(registry.ids())


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
        *TABLES["options"].fields_by_key(),
        *OF_TRIAL_RUNS,
    }


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


PACK_PAGE = Path(__file__).parent.parent.parent / "docs" / "policies.md"
PACKS = {name: load_policies(policy_files([name], "", name)) for name in shipped_packs()}
ALL = [(pack, policy.id) for pack, found in PACKS.items() for policy in found.all]


def test_the_packs() -> None:
    assert sorted(PACKS) == ["conversation", "cost", "ownership"]
    assert all(4 <= len(pack.all) <= 8 for pack in PACKS.values())


def test_all_packs_go_together() -> None:
    together: Policies = load_policies(policy_files(PACKS, "", "all"))
    assert len(together.all) == len(ALL)


@each_of(ALL)
def test_the_page_of_a_policy_is_true(pack: str, name: str) -> None:
    (policy,) = [one for one in PACKS[pack].all if one.id == name]
    assert check_policy_examples(policy, PACKS[pack]) == []


@each_of(ALL)
def test_a_policy_says_what_and_why_and_lies_in_the_file_of_its_name(pack: str, name: str) -> None:
    shown = parse_docs(PACKS[pack].rules[name].doc)
    assert shown.summary.endswith(".")
    assert shown.why
    assert Path(registry.rules_folder(), "policies", pack, f"{name}.yaml").is_file()


def test_the_policy_that_the_documentation_shows_is_true() -> None:
    (block,) = re.findall(r"```yaml\n(.*?)```", PACK_PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found = read_policies((PolicyFile("/page.yaml", "page.yaml", block.encode()),))
    assert check_policy_examples(found.all[0], found) == []
    assert found.all[0].id not in {rule_id for _, rule_id in ALL}  # a page is copied beside a pack that is in use


def test_the_documentation_names_every_key_and_bound() -> None:
    text = " ".join(PACK_PAGE.read_text(encoding="utf-8").split())
    assert [key for key in KEYS if f"| `{key}` |" not in text] == []
    assert f"at most {MAX_LENGTH:,} characters" in text
    assert f"a run at most {MAX_POLICIES:,} policies" in text
