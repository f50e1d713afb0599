"""The shipped packs of policies: their pages are true, and they lie where their names say."""

from __future__ import annotations

import re
from pathlib import Path

from tests.cases import each_of
from trialrun.lint import registry
from trialrun.lint.policy import Policies
from trialrun.lint.policy.examples import check_policy_examples
from trialrun.lint.policy.packs import (
    MAX_POLICIES,
    PolicyFile,
    PolicyReferences,
    load_policies,
    read_policies,
    shipped_packs,
)
from trialrun.lint.policy.parse_policy import MAX_LENGTH
from trialrun.lint.policy.policy_document import KEYS
from trialrun.lint.rule_docs import parse_docs

PAGE = Path(__file__).parent.parent.parent / "docs" / "policies.md"
PACKS = {name: load_policies([PolicyReferences([name], "", name)]) for name in shipped_packs()}
ALL = [(pack, policy.id) for pack, found in PACKS.items() for policy in found.all]


def test_the_packs() -> None:
    assert sorted(PACKS) == ["conversation", "cost", "ownership"]
    assert all(4 <= len(pack.all) <= 8 for pack in PACKS.values())


def test_all_packs_go_together() -> None:
    together: Policies = load_policies([PolicyReferences(list(PACKS), "", "all")])
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
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    found = read_policies((PolicyFile("/page.yaml", "page.yaml", block.encode()),))
    assert check_policy_examples(found.all[0], found) == []
    assert found.all[0].id not in {rule_id for _, rule_id in ALL}  # a page is copied beside a pack that is in use


def test_the_documentation_names_every_key_and_bound() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [key for key in KEYS if f"| `{key}` |" not in text] == []
    assert f"at most {MAX_LENGTH:,} characters" in text
    assert f"a run at most {MAX_POLICIES:,} policies" in text
