"""Rules across files judge the facts of all documents together."""

from datetime import UTC, datetime

import pytest

from tests.cases import each_of
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lint import workspace_rules
from trialrun.lint.engine import Linter
from trialrun.lint.file_result import Fact
from trialrun.lint.positions import with_unique_fingerprints
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.lint.workspace_rules import FactLocations

RULE = "duplicate-resource-name"
ONLY = Selection(frozenset({RULE}))
VIEW = "projects/p/locations/l/featureOnlineStores/s/featureViews/"


def facts(files: list[tuple[str, str]]) -> list[Fact]:
    linter = Linter(ONLY, now=datetime(2026, 11, 20, tzinfo=UTC), session_types=lambda: session_types(()))
    return [fact for path, text in files for fact in linter.lint(text.encode(), path).facts]


def judged(files: list[tuple[str, str]], selection: Selection = ONLY) -> list[Diagnostic]:
    return workspace_rules.run_workspace_rules(facts(files), selection, places(files))


def places(files: list[tuple[str, str]]) -> FactLocations:
    texts = dict(files)
    return FactLocations(lambda path: texts[path].encode())


def told(files: list[tuple[str, str]], selection: Selection = ONLY) -> list[str]:
    return [shown(finding) for finding in judged(files, selection)]


def fingerprints(files: list[tuple[str, str]]) -> list[str]:
    return [fingerprint.fingerprint for fingerprint in with_unique_fingerprints(judged(files))]


def shown(diagnostic: Diagnostic) -> str:
    related = "".join(
        f" <- {related_location.path}:{related_location.range.start.line}" for related_location in diagnostic.related
    )
    return (
        f"{diagnostic.path}:{diagnostic.range.start.line}:{diagnostic.range.start.column} {diagnostic.pointer}{related}"
    )


@each_of(
    [
        pytest.param(
            [("b.yaml", "kind: Brand\nname: x"), ("a.yaml", "# first\nkind: Brand\nname: x")],
            ["b.yaml:2:7 /name <- a.yaml:3"],
            id="the later path is told, whichever was read first",
        ),
        pytest.param(
            [("a.yaml", "kind: Brand\nname: x\n---\nname: x\nkind: Brand")],
            ["a.yaml:4:7 /name <- a.yaml:2"],
            id="documents of one file",
        ),
        pytest.param(
            [("a.yaml", "".join(f"- {{kind: Menu, name: {name}}}\n" for name in "abcdefghijck"))],
            ["a.yaml:11:22 /10/name <- a.yaml:3"],
            id="items of a list in the order of the file",
        ),
        pytest.param(
            [("a.yaml", "kind: Menu\nname: x"), ("b.yaml", "kind: Menu\nname: x"), ("c.yaml", "kind: Menu\nname: x")],
            ["b.yaml:2:7 /name <- a.yaml:2", "c.yaml:2:7 /name <- a.yaml:2"],
            id="each one after the first",
        ),
        pytest.param(
            [("a.yaml", f"name: {VIEW}v"), ("b.json", f'{{"name": "{VIEW}v"}}')],
            ["b.json:1:10 /name <- a.yaml:1"],
            id="a scalar is told with its quotes",
        ),
        pytest.param([("a.yaml", "kind: Menu\nname: x"), ("b.yaml", "kind: Brand\nname: x")], [], id="two kinds"),
        pytest.param([("a.yaml", "kind: Menu\nname: x"), ("b.yaml", "kind: Menu\nname: X")], [], id="as written"),
        pytest.param([("a.yaml", "kind: Menu"), ("b.yaml", "kind: Menu")], [], id="no names"),
        pytest.param([("a.yaml", "kind: Menu\nname: ''"), ("b.yaml", "kind: Menu\nname: ''")], [], id="empty names"),
        pytest.param([("a.yaml", "kind: Menu\nname: 1"), ("b.yaml", "kind: Menu\nname: 1")], [], id="refused names"),
    ]
)
def test_the_later_of_two_equal_names_is_told(files: list[tuple[str, str]], expected: list[str]) -> None:
    assert told(files) == expected


TWICE = [
    ("a.yaml", "kind: Menu\nname: x"),
    ("sub/b.yaml", "kind: Menu\nname: x"),
    ("sub/c.yaml", "kind: Menu\nname: x"),
]


def test_the_order_of_the_facts_does_not_matter() -> None:
    known = facts(TWICE)
    assert workspace_rules.run_workspace_rules(
        reversed(known), ONLY, places(TWICE)
    ) == workspace_rules.run_workspace_rules(known, ONLY, places(TWICE))


def test_a_message_names_the_other_file() -> None:
    assert judged(TWICE)[0].message == ('the name "x" is already taken by the Menu in a.yaml; give each its own')


def test_an_item_more_changes_no_fingerprint() -> None:
    before = [("a.yaml", "- {kind: Menu, name: x}\n- {kind: Menu, name: x}")]
    after = [("a.yaml", "- {kind: Menu, name: x}\n- {kind: Menu, name: y}\n- {kind: Menu, name: x}")]
    assert fingerprints(before) == fingerprints(after)


def test_findings_at_other_items_have_other_fingerprints() -> None:
    documents = "- {kind: Menu, name: x}\n- {kind: Menu, name: y}\n"
    first, second = ([("a.yaml", f"{documents}- {{kind: Menu, name: {name}}}")] for name in "xy")
    assert set(fingerprints(first)).isdisjoint(fingerprints(second))


def test_equal_findings_have_fingerprints_of_their_own() -> None:
    assert len(set(fingerprints(TWICE))) == 2


def test_settings_decide_on_severity() -> None:
    assert {finding.severity for finding in judged(TWICE)} == {Severity.ERROR}
    milder = Selection(frozenset({RULE}), {RULE: Severity.NOTE})
    assert {finding.severity for finding in judged(TWICE, milder)} == {Severity.NOTE}


def test_a_rule_that_is_not_selected_is_silent() -> None:
    assert judged(TWICE, Selection(frozenset())) == []


def test_a_fault_in_a_rule_is_reported_once() -> None:
    unheard_of = [fact._replace(value=fact.value._replace(name=[])) for fact in facts(TWICE)]
    found = workspace_rules.run_workspace_rules(unheard_of, ONLY, places(TWICE))
    assert [(diagnostic.rule, shown(diagnostic)) for diagnostic in found] == [("internal-error", "a.yaml:2:7 /name")]
