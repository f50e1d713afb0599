"""Policies on the workspace: what they read of other documents, whom they blame, and when they say nothing."""

from textwrap import dedent

import pytest

from tests.cases import each_of
from tests.lint.policy.parse_policies import linter_of, problems, read
from trialrun.diagnostic import Diagnostic
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.policy import Policies, evaluate
from trialrun.lint.policy.policy import MAX_TEXT
from trialrun.lint.workspace_rules import FactLocations, run_workspace_rules


def judged(policies: Policies, files: dict[str, str], *, unread: bool = False, **settings: object) -> list[Diagnostic]:
    """The findings of policies in files, by path."""
    linter = linter_of(policies, "wrong-type", "syntax-error", **settings)
    texts = {path: dedent(text).encode() for path, text in files.items()}
    reports = [linter.lint(data, path) for path, data in texts.items()]
    facts = [fact for report in reports for fact in report.facts]
    return [
        *(diagnostic for report in reports for diagnostic in report.diagnostics),
        *run_workspace_rules(facts, linter.selection, FactLocations(texts.get), unread=unread, now=EXAMPLE_TIME),
    ]


def told(policies: Policies, files: dict[str, str]) -> list[str]:
    """The same as `path:line:column rule message`."""
    return [
        f"{each.path}:{each.range.start.line}:{each.range.start.column} {each.rule} {each.message}"
        for each in judged(policies, files)
    ]


def policy(check: str, *, on: str = "FeatureView", more: str = "") -> Policies:
    """A policy on the workspace, called p, whose message is m."""
    return read(f"id: p\nscope: workspace\non: {on}\nmessage: m\ncheck: |-\n  {check}\n{more}")


def view(store: str, name: str, rest: str = "etag: a") -> str:
    return f"kind: FeatureView\nname: {store}/featureViews/{name}\n{rest}\n"


FILES = {
    "b.yaml": view("a", "1", "labels: {team: x}"),
    "a.yaml": f"{view('a', '2', 'labels: {team: y}')}---\n{view('b', '3', 'labels: {team: x}')}",
    "source.yaml": "kind: Source\nuri: bq://a.b.c\n",
}
SAME_TEAM = "documents(\"FeatureView\").filter(v, v.labels['team'] == self.labels['team']).size() <= 1"


def test_a_count_over_documents() -> None:
    assert told(policy(SAME_TEAM, more="at: labels.team\n"), FILES) == ["a.yaml:7:16 p m", "b.yaml:3:16 p m"]
    assert told(policy(SAME_TEAM.replace("<= 1", "<= 2")), FILES) == []


def test_once_for_a_group_is_the_first_by_path() -> None:
    more = "at: labels.team\nonce: self.labels['team']\n"
    assert told(policy(SAME_TEAM, more=more), FILES) == ["a.yaml:7:16 p m"]
    every = policy('documents("FeatureView").size() < 3', more="once: \"''\"\n")
    assert told(every, FILES) == ["a.yaml:1:1 p m"]


def test_a_message_names_what_the_documents_have() -> None:
    more = "messageExpression: documents('FeatureView').map(v, v.name).sort().join(', ')\nonce: \"''\"\n"
    few = policy('documents("FeatureView").size() < 3', more=more)
    names = "a/featureViews/1, a/featureViews/2, b/featureViews/3"
    assert told(few, FILES) == [f"a.yaml:1:1 p {names}"]


TRUE = [
    'documents("Source").exists(s, s.uri == "bq://a.b.c") && documents("Menu") == []',
    "documents( 'FeatureView' ).all(v, has(v.labels) && !has(v.syncConfig))",
    "documents('FeatureView').exists(v, v.name == self.name) && document.kind == 'FeatureView'",
    "documents('FeatureView').map(v, v.name)[0] == 'a/featureViews/2' && root.name == self.name",
    "texts(self) == [] && documents('ChannelConfig').all(c, texts(c) == [])",
    "now.getFullYear() == 2026 && documents('Source').size() == 1",
]


@pytest.mark.parametrize("check", TRUE)
def test_what_is_true_of_a_workspace(check: str) -> None:
    assert told(policy(check), FILES) == []
    assert len(told(policy(f"!({check})"), FILES)) == 3


def test_a_part_of_a_document_asks_about_documents() -> None:
    known = policy('documents("Source").exists(s, s.uri == self.uri)', on="WarehouseSource", more="at: uri\n")
    files = {
        "view.yaml": view("a", "1", "warehouseSource: {uri: bq://a.b.d, entityIdColumns: [a]}"),
        "source.yaml": FILES["source.yaml"],
    }
    assert told(known, files) == ["view.yaml:3:24 p m"]
    files["view.yaml"] = files["view.yaml"].replace("a.b.d", "a.b.c")
    assert told(known, files) == []


@pytest.mark.parametrize(
    "rest", ["labels: [a]", "labels:\n  team: x\n }{ :", "labels: {team: [x"], ids=["refused", "unread", "torn"]
)
def test_nothing_is_said_while_a_document_is_not_known_as_a_whole(rest: str) -> None:
    found = judged(policy(SAME_TEAM.replace("<= 1", "<= 0")), {**FILES, "c.yaml": view("c", "4", rest)})
    assert [each.rule for each in found if each.rule == "p"] == []


def test_nothing_is_said_while_a_file_cannot_be_read() -> None:
    assert judged(policy("documents('Source') == []"), FILES, unread=True) == []


def test_a_refused_value_that_is_not_read_changes_nothing() -> None:
    files = {**FILES, "c.yaml": view("c", "4", "labels: {team: z}\nsyncConfig: {cron: [a]}")}
    assert [each.rule for each in judged(policy(SAME_TEAM), files)].count("p") == 2


def test_a_failure_is_reported_once_and_named() -> None:
    (found,) = told(policy("documents('FeatureView')[7].name == self.name"), FILES)
    assert found.startswith("a.yaml:1:1 internal-error the policy p (0.yaml:1) failed here: ")


def test_a_message_expression_about_all_documents_says_no_more_than_a_reader_reads() -> None:
    more = "messageExpression: documents('FeatureView').map(v, v.name).join(' ')\n"
    checks = policy('self.name == ""', more=more)
    files = {f"{number}.yaml": f"kind: FeatureView\nname: {'x' * 5_000}\n" for number in range(3)}
    assert {len(line.partition(" p ")[2]) for line in told(checks, files)} == {MAX_TEXT}


UPSELLS = """\
kind: ChannelConfig
displayName: {name}
operationsConfig:
  upsellStrategy:
    upsells:
    - {{priority: 1}}
    - {{priority: 2}}
    - {{priority: 3}}
"""


def test_the_document_around_many_messages_is_one_fact() -> None:
    checks = policy('root.displayName == "a" && self.priority < 3', on="UpsellConfig")
    files = {f"{name}.yaml": UPSELLS.format(name=name) for name in ("a", "b")}
    assert told(checks, files) == ["a.yaml:8:8 p m", *(f"b.yaml:{line}:8 p m" for line in (6, 7, 8))]
    facts = linter_of(checks).lint(files["a.yaml"].encode(), "a.yaml").facts
    assert [fact.value.role for fact in facts] == ["root", *["subject"] * 3]
    assert [[*fact.value.view] for fact in facts[1:]] == [["self"]] * 3


@pytest.mark.parametrize("more", ["messageExpression: cron.zone(self.cron)\n", "once: cron.zone(self.cron)\n"])
def test_nothing_is_said_if_a_message_or_a_group_needs_what_its_own_rule_reports(more: str) -> None:
    checks = policy('self.cron == ""', on="SyncConfig", more=more)
    assert told(checks, {"a.yaml": view("a", "1", "syncConfig: {cron: every day}")}) == []
    assert len(told(checks, {"a.yaml": view("a", "1", "syncConfig: {cron: 0 3 * * *}")})) == 1


def test_too_many_documents_are_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluate, "MAX_DOCUMENTS", 2)
    (found,) = told(policy(SAME_TEAM), FILES)
    reason = "it would read 3 documents of kind FeatureView, and a policy reads at most 2"
    assert f"failed here: {reason}; fix its check" in found


def test_settings_give_other_parameters() -> None:
    few = policy(
        "documents('FeatureView').size() <= parameters.max",
        more="parameters: {max: {type: int, default: 5}}\nonce: \"''\"\n",
    )
    assert told(few, FILES) == []
    assert [each.rule for each in judged(few, FILES, policy_parameters={"p": {"max": 2}})] == ["p"]


PROBLEMS = [
    ('documents("FeatureVeiw") == []', '5:13-26 there is no kind "FeatureVeiw"; did you mean "FeatureView"?'),
    ("documents(self.name) == []",
     '5:13-22 documents() takes the name of a kind in quotes, such as documents("FeatureView")'),
    ("documents() == []", '5:3-12 documents() takes the name of a kind in quotes, such as documents("FeatureView")'),
    ("documents('FeatureView').all(v, v.nam == '')",
     '5:37-40 FeatureView has no field "nam"; did you mean "name"?'),
    ("documents('FeatureView').name == ''",
     '5:28-32 list(FeatureView) has no field "name"; read it from one item, as in .exists(x, x.…)'),
    ("documents('FeatureView') > 1",
     '5:28-29 ">" cannot compare list(FeatureView) with int; search a list with in or exists()'),
]  # fmt: skip


@each_of(PROBLEMS)
def test_errors_have_their_exact_characters(check: str, problem: str) -> None:
    assert problems(f"id: p\nscope: workspace\non: FeatureView\ncheck: |-\n  {check}\nmessage: m\n") == [problem]


def test_keys_of_the_workspace_need_its_scope() -> None:
    text = "id: p\non: FeatureView\ncheck: documents('Menu') == []\nonce: self.name\nmessage: m\n"
    assert problems(text) == [
        "3:8-17 documents() reads other documents; add scope: workspace to the policy",
        '4:7-16 "once" is for policies that see all messages; add scope: workspace',
    ]


def test_an_unknown_scope() -> None:
    text = "id: p\non: FeatureView\nscope: workspce\ncheck: has(self.labels)\nmessage: m\n"
    assert problems(text) == ['3:8-16 there is no scope "workspce"; did you mean "workspace"?']
