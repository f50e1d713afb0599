"""Which companion documents a workspace has is told from bytes: never one too few, or rules would keep silent."""

from __future__ import annotations

import json

from tests.cases import each_of
from trialrun.lint import registry
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.fact_locations import FactLocations
from trialrun.lint.rule_docs import parse_docs
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import REQUIRED_KIND, default_selection
from trialrun.lint.workspace_rules import run_workspace_rules
from trialrun.parser import parse
from trialrun.workspace.kind_scan import COMPANION_KINDS, declared_kinds

WAYS = [
    "kind: Brand",
    '"kind":"Brand"',
    "{name: a, kind: Brand}",
    "kind:\n  Brand",
    "kind: # of what\n  'Brand'",
    "kind: &kind Brand",
    "? kind\n: Brand",
    "kind: FeatureView\n---\nkind: Brand",
    "kind: FeatureView,\nkind: Brand",
    "kind:\n  # kind: FeatureView\n  Brand",
    'kind: "B\\x72and"',
    '{"kin\\u0064": "Brand"}',
    "other: &brand Brand\nkind: *brand",
]
MISSPELT = "kind: FeatureGroupTabel"


@each_of(WAYS)
def test_a_kind_is_seen_in_every_way_of_writing_it(text: str) -> None:
    assert "Brand" in declared_kinds(text.encode())
    assert "Brand" in declared_kinds(text.encode("utf-16"))


def test_a_kind_is_seen_where_it_is_nearly_written_or_told_by_the_path() -> None:
    assert declared_kinds(MISSPELT.encode()) == {"FeatureGroupTable"}
    assert declared_kinds(b"name: acme", by_path="Brand") == {"Brand"}
    assert declared_kinds(b"name: acme", by_path="ChannelConfig") == set()


@each_of(["kind: ChannelConfig\nsuggestedMenuItems: [a]", "Menu: 1", "kind: Brands", ""])
def test_what_declares_nothing(text: str) -> None:
    assert declared_kinds(text.encode()) == set()


@each_of([*REQUIRED_KIND])
def test_a_rule_keeps_silent_without_the_kind_that_it_speaks_with(rule_id: str) -> None:
    bad = [example for example in parse_docs(registry.load(rule_id).doc).examples if example.kind == "bad"]
    for example in bad:
        documents = [each.value for each in parse(example.data, example.file).documents]
        rest = [one for value in documents for one in (value if isinstance(value, list) else [value])]
        left = [candidate for candidate in rest if candidate.get("kind") != REQUIRED_KIND[rule_id]]
        linter = Linter(default_selection(), now=EXAMPLE_TIME, session_types=lambda: session_types([]))
        data = json.dumps(left).encode()
        facts = linter.lint(data, "left.json").facts
        found = run_workspace_rules(facts, default_selection(), FactLocations(lambda path, data=data: data))  # type: ignore[misc]
        assert [file.message for file in found if file.rule == rule_id] == []
    assert bad


def test_every_rule_that_speaks_with_a_kind_speaks_of_one_that_is_looked_for() -> None:
    assert set(REQUIRED_KIND.values()) <= set(COMPANION_KINDS)
    assert set(REQUIRED_KIND) <= set(registry.ids())
