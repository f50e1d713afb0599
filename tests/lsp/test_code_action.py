"""What an editor offers to do about findings, proven by linting the text afterwards."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import number_of_cases, tries_all_cases
from trialrun.diagnostic import Diagnostic, Range, TextEdit
from trialrun.lint import registry
from trialrun.lint.baseline import Baseline
from trialrun.lint.rule_docs import Example, parse_docs
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.lsp.features import code_action as module
from trialrun.lsp.features.code_action import code_action, diff_edits
from trialrun.lsp.results import CodeAction
from trialrun.text import Position, Source
from trialrun.workspace import CheckRequest, CheckResult, check
from trialrun.workspace.fix_loop import fix_until_stable
from trialrun.workspace.open_workspace import OpenWorkspace

HEAD = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
"""
VIEW_NAME = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
GUESTS = "projects/p/locations/l/featureOnlineStores/s/featureViews/guests"
STEP = HEAD + 'syncConfig:\n  cron: "*/7 * * * *"\n'
SLIP = HEAD + "syncConfig: {corn: 0 6 * * *}\n"


def edited(text: str, edits: Sequence[TextEdit]) -> str:
    """A text with edits made, all of them at once."""
    source = Source("", text)
    for edit in sorted(edits, key=lambda one: one.range, reverse=True):
        text = text[: source.offset(edit.range.start)] + edit.text + text[source.offset(edit.range.end) :]
    return text


class OpenEditor:
    """A folder with one open text, and what is asked about it."""

    def __init__(self, folder: Path) -> None:
        profiles = Profiles(Settings(), ["all"], ["unexplained-suppression"])
        now = datetime(2026, 11, 20, tzinfo=UTC)
        self.live = OpenWorkspace(CheckRequest(str(folder), now, profiles, cache=False))
        self.path = "a.yaml"
        self.text = ""

    def open(self, text: str, path: str = "a.yaml") -> None:
        self.path, self.text = path, text
        self.live.set_overlay(os.path.abspath(path), text.encode())
        self.live.run_all_tasks()

    def found(self, rule: str | None = None) -> list[Diagnostic]:
        told = self.live.diagnostics(self.path, with_fixes=True)
        return [diagnostic for diagnostic in told if rule in (None, diagnostic.rule)]

    def actions(self, rule: str) -> tuple[CodeAction, ...]:
        """Those for the first finding of a rule."""
        return code_action(self.live, self.path, 0, 0, [self.found(rule)[0].fingerprint])

    def at(self, word: str, *only: str) -> tuple[CodeAction, ...]:
        """Those at a word of the text, without a finding being named."""
        start = self.text.index(word)
        return code_action(self.live, self.path, start, start + len(word), only=only)

    def after(self, action: CodeAction) -> str:
        """The text once an action is done."""
        ((path, edits),) = action.edits.items()
        assert path == self.path
        return edited(self.text, edits)


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenEditor:
    monkeypatch.chdir(tmp_path)
    return OpenEditor(tmp_path)


def ignore_of(actions: tuple[CodeAction, ...]) -> CodeAction | None:
    return next((action for action in actions if action.title.startswith("suppress ")), None)


def ignored(editor: OpenEditor, rule: str) -> str:
    """The text after the first finding of a rule is ignored, once it is sure that it is."""
    before = len(editor.found(rule))
    action = ignore_of(editor.actions(rule))
    assert action is not None
    editor.open(editor.after(action), editor.path)
    assert len(editor.found(rule)) < before
    return editor.text


# ---- fixes


def test_a_safe_fix_is_preferred_and_fixes_the_finding(editor: OpenEditor) -> None:
    editor.open(HEAD.replace("kind: FeatureView\n", "kind: FeatureView\ncreateTime: 2026-01-01T00:00:00Z\n"))
    fix = editor.actions("output-only-field")[0]
    assert (fix.kind, fix.is_preferred, len(fix.fingerprints)) == ("quickfix", True, 1)
    editor.open(editor.after(fix))
    assert editor.found("output-only-field") == []


def test_an_unsafe_fix_says_so_and_is_not_preferred(editor: OpenEditor) -> None:
    editor.open(SLIP)
    fix = editor.actions("unknown-field")[0]
    assert (fix.is_preferred, fix.title.endswith("(unsafe; review the change)")) == (False, True)


READINGS = {
    "labels: {tier: True}": ['labels: {tier: "True"}', 'labels: {tier: "true"}'],
    "indexConfig: {embeddingColumn: v, filterColumns: 'a, b'}": [
        'indexConfig: {embeddingColumn: v, filterColumns: ["a", "b"]}',
        'indexConfig: {embeddingColumn: v, filterColumns: ["a, b"]}',
    ],
}


@pytest.mark.parametrize("text", READINGS)
def test_all_readings_of_a_value_that_may_mean_several_things_are_offered(editor: OpenEditor, text: str) -> None:
    editor.open(f"{HEAD}{text}\n")
    actions = [action for action in editor.actions("wrong-type") if action.title.startswith("write ")]
    assert [editor.after(action) for action in actions] == [f"{HEAD}{after}\n" for after in READINGS[text]]
    assert [action.is_preferred for action in actions] == [False, False]
    for action in actions:
        editor.open(editor.after(action))
        assert editor.found("wrong-type") == []
        editor.open(f"{HEAD}{text}\n")


def test_the_offsets_say_which_findings_are_meant_where_none_is_named(editor: OpenEditor) -> None:
    editor.open(STEP)
    assert [action.title for action in editor.at("*/7") if "cron-uneven-step" in action.title] == [
        "suppress cron-uneven-step here",
        "explain cron-uneven-step",
    ]
    assert editor.at("entityIdColumns", "quickfix") == ()


def test_a_finding_that_is_gone_gives_way_to_the_offsets(editor: OpenEditor) -> None:
    editor.open(STEP)
    start = STEP.index("*/7")
    stale = code_action(editor.live, "a.yaml", start, start, ["of an older text"])
    assert any("cron-uneven-step" in action.title for action in stale)


def test_a_file_that_is_none_of_ours_has_no_actions(editor: OpenEditor) -> None:
    assert code_action(editor.live, "none.yaml", 0, 0) == ()


def test_one_ignore_and_one_page_stand_for_all_findings_of_a_rule_on_a_line(editor: OpenEditor) -> None:
    editor.open(HEAD + "labels: {A: a, B: b}\n")
    found = tuple(diagnostic.fingerprint for diagnostic in editor.found("invalid-label"))
    assert len(found) == 2
    told = [action for action in editor.at("{A: a, B: b}", "quickfix") if "invalid-label" in action.title]
    assert [action.title.split()[0] for action in told] == ["apply", "suppress", "explain"]
    assert [one.fingerprints for one in told] == [found, found, found]


def test_a_large_selection_has_the_fixes_and_ignores_that_a_person_may_pick_from(editor: OpenEditor) -> None:
    editor.open(HEAD + "etag: 2026-01-01T00:00:00Z\n" * 60)
    told = code_action(editor.live, "a.yaml", 0, len(editor.text), only=["quickfix"])
    ignores = [action for action in told if action.title.startswith("suppress ")]
    fixes = [action for action in told if action.edits and action not in ignores]
    assert (len(fixes), len(ignores)) == (51, 10)  # one makes all fixes of the rule


def test_in_a_large_text_one_comment_is_tried(editor: OpenEditor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_REPARSED_CHARACTERS", 10)
    editor.open(HEAD + "labelz1: {}\nlabelz2: {}\n")
    told = code_action(editor.live, "a.yaml", 0, len(editor.text), only=["quickfix"])
    assert len([action for action in told if action.title.startswith("suppress ")]) == 1


# ---- all safe fixes


def test_all_safe_fixes_are_one_edit_of_the_file_and_leave_none(editor: OpenEditor) -> None:
    editor.open(f"createTime: 2026-01-01T00:00:00Z\n{HEAD}updateTime: 2026-01-01T00:00:00Z\n")
    (action,) = editor.at("kind", "source.fixAll")
    assert (action.kind, action.title) == ("source.fixAll.trialrun", "apply all safe fixes in this file (2)")
    assert editor.after(action) == HEAD


def test_lines_between_two_fixes_are_no_part_of_the_edit(editor: OpenEditor) -> None:
    editor.open(f"createTime: 2026-01-01T00:00:00Z\n{HEAD}updateTime: 2026-01-01T00:00:00Z\n")
    (action,) = editor.at("kind", "source")
    assert [(edit.range.start.line, edit.range.end.line) for edit in action.edits["a.yaml"]] == [(1, 2), (5, 6)]


def test_unsafe_fixes_are_not_among_all_safe_ones(editor: OpenEditor) -> None:
    editor.open(SLIP)
    assert editor.at("kind", "source.fixAll.trialrun") == ()


def test_what_the_baseline_has_is_not_fixed(editor: OpenEditor) -> None:
    editor.open(f"createTime: 2026-01-01T00:00:00Z\n{HEAD}updateTime: old\n")
    _, update = editor.found("output-only-field")
    editor.live.request = replace(editor.live.request, baseline=Baseline(({"fingerprint": update.fingerprint},)))
    (action,) = editor.at("kind", "source.fixAll")
    assert editor.after(action) == f"{HEAD}updateTime: old\n"


def test_fixing_all_leaves_the_open_text_as_it_is(editor: OpenEditor) -> None:
    editor.open(f"createTime: 2026-01-01T00:00:00Z\n{HEAD}")
    before = editor.found()
    editor.at("kind", "source.fixAll")
    assert editor.found() == before


# ---- what is asked for


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        ((), {"quickfix", "source.fixAll.trialrun"}),
        (("",), {"quickfix", "source.fixAll.trialrun"}),
        (("quickfix",), {"quickfix"}),
        (("source.fixAll.trialrun",), {"source.fixAll.trialrun"}),
        (("source.fixAll.other",), set()),
        (("source.fix",), set()),
        (("refactor",), set()),
    ],
)
def test_only_the_kinds_that_are_asked_for_come(editor: OpenEditor, only: tuple[str, ...], kinds: set[str]) -> None:
    editor.open(HEAD + "updateTime: 2026-01-01T00:00:00Z\n")
    assert {action.kind for action in editor.at("updateTime", *only)} == kinds


# ---- explain


def test_explain_shows_the_page_of_the_rule(editor: OpenEditor) -> None:
    editor.open(STEP)
    explain = next(action for action in editor.actions("cron-uneven-step") if action.title.startswith("explain "))
    assert explain.edits == {}
    assert explain.rule_to_explain == "cron-uneven-step"


# ---- ignore


def test_ignore_writes_a_comment_whose_reason_is_to_be_written(editor: OpenEditor) -> None:
    editor.open(STEP)
    comment = "  # trialrun: ignore[cron-uneven-step] <reason>"
    assert ignored(editor, "cron-uneven-step") == STEP.replace('* *"\n', f'* *"{comment}\n')


CRON = "every day at twenty-five"
PLACES = {
    "at the end of a flow mapping": (
        f"syncConfig: {{cron: {CRON}}}\n",
        f"syncConfig: {{cron: {CRON}}}  # trialrun: ignore[cron-syntax] <reason>\n",
    ),
    "inside a flow mapping over lines": (
        f"syncConfig: {{\n  cron: {CRON},\n}}\n",
        f"syncConfig: {{\n  cron: {CRON},  # trialrun: ignore[cron-syntax] <reason>\n}}\n",
    ),
    "behind another comment": (
        f"syncConfig:\n  cron: {CRON} # at night\n",
        f"syncConfig:\n  cron: {CRON} # at night  # trialrun: ignore[cron-syntax] <reason>\n",
    ),
    "above a long line": (
        f"syncConfig:\n  cron: {CRON} # {'long ' * 20}\n",
        f"syncConfig:\n  # trialrun: ignore[cron-syntax] <reason>\n  cron: {CRON} # {'long ' * 20}\n",
    ),
    "at the key of a block scalar": (
        f"syncConfig:\n  cron: |-\n    {CRON}\n",
        f"syncConfig:\n  cron: |-  # trialrun: ignore[cron-syntax] <reason>\n    {CRON}\n",
    ),
    "above a text over lines": (
        "syncConfig:\n  cron: every\n    day\n",
        "syncConfig:\n  # trialrun: ignore[cron-syntax] <reason>\n  cron: every\n    day\n",
    ),
    "at an anchor and not at its alias": (
        f"labels: &a {{cron: {CRON}}}\nsyncConfig: *a\n",
        f"labels: &a {{cron: {CRON}}}  # trialrun: ignore[cron-syntax] <reason>\nsyncConfig: *a\n",
    ),
    "at the end of a file without a last line break": (
        f"syncConfig:\n  cron: {CRON}",
        f"syncConfig:\n  cron: {CRON}  # trialrun: ignore[cron-syntax] <reason>",
    ),
    "in place of blanks at the end": (
        f"syncConfig:\n  cron: {CRON}   \n",
        f"syncConfig:\n  cron: {CRON}  # trialrun: ignore[cron-syntax] <reason>\n",
    ),
}


TERRAFORM = """\
resource "google_vertex_ai_feature_online_store_featureview" "guests" {
  sync_config {
    cron = "CRON_TZ=US/Eastern 1/5 * * * *"
  }
}
"""


def test_a_file_of_terraform_is_fixed_and_suppressed_as_its_formatter_has_it(editor: OpenEditor) -> None:
    editor.open(TERRAFORM, "main.tf")
    assert editor.after(editor.actions("cron-portability")[0]) == TERRAFORM.replace("1/5", "1-59/5")
    comment = " # trialrun: ignore[cron-portability] <reason>"
    assert ignored(editor, "cron-portability") == TERRAFORM.replace('* *"\n', f'* *"{comment}\n')


@pytest.mark.parametrize("place", PLACES)
def test_the_comment_stands_where_the_style_of_the_text_lets_it(editor: OpenEditor, place: str) -> None:
    before, after = PLACES[place]
    editor.open(HEAD + before)
    assert ignored(editor, "cron-syntax") == HEAD + after


def test_a_comment_above_ends_as_the_other_lines_do(editor: OpenEditor) -> None:
    editor.open((HEAD + PLACES["above a long line"][0]).replace("\n", "\r\n"))
    assert ignored(editor, "cron-syntax") == (HEAD + PLACES["above a long line"][1]).replace("\n", "\r\n")


def test_a_line_that_cannot_be_read_is_ignored_from_above_where_it_is_long(editor: OpenEditor) -> None:
    line = f"labels: {{a: b]  # {'long ' * 22}\n"
    editor.open(HEAD + line)
    assert ignored(editor, "syntax-error") == HEAD + "# trialrun: ignore[syntax-error] <reason>\n" + line


JSON = (
    '{"kind": "FeatureView", "name": "projects/p/locations/l/featureOnlineStores/s/featureViews/v",'
    f' "syncConfig": {{"cron": "{CRON}"}}}}\n'
)


@pytest.mark.parametrize(
    ("settings", "before"),
    [
        ("trialrun.toml", None),
        ("trialrun.toml", '[severity]\ncron-dst = "off"'),
        ("trialrun.toml", '[[suppress]]\r\npath = "b.json"\r\nrule = "cron-syntax"\r\n'),
        ("pyproject.toml", '[tool.trialrun]\nexclude = ["x"]\n'),
    ],
)
def test_json_has_no_comments_and_is_ignored_by_the_settings(
    editor: OpenEditor, settings: str, before: str | None
) -> None:
    if before is not None:
        Path(settings).write_bytes(before.encode())
        editor.live = editor.live.with_request(
            replace(editor.live.request, profiles=Profiles(read_settings(os.getcwd())))
        )
    editor.open(JSON, "a.json")
    action = ignore_of(editor.actions("cron-syntax"))
    assert action is not None
    ((path, edits),) = action.edits.items()
    assert (path, action.creates, action.title) == (settings, before is None, f"suppress cron-syntax in {settings}")
    Path(settings).write_bytes(edited(before or "", edits).encode())
    editor.live = editor.live.with_request(replace(editor.live.request, profiles=Profiles(read_settings(os.getcwd()))))
    editor.open(JSON, "a.json")
    assert editor.found("cron-syntax") == []


@pytest.mark.parametrize(
    ("before", "apart"),
    [("", ""), ("\n", ""), ('exclude = ["x"]\n', "\n"), ('exclude = ["x"]', "\n\n"), ('exclude = ["x"]\r\n', "\r\n")],
)
def test_one_line_is_left_free_above_an_added_table(editor: OpenEditor, before: str, apart: str) -> None:
    Path("trialrun.toml").write_bytes(before.encode())
    editor.live = editor.live.with_request(replace(editor.live.request, profiles=Profiles(read_settings(os.getcwd()))))
    editor.open(JSON, "a.json")
    action = ignore_of(editor.actions("cron-syntax"))
    assert action is not None
    assert action.edits["trialrun.toml"][0].text.partition("[[suppress]]")[0] == apart


def test_a_table_stands_beside_a_list_of_ignored_rules(editor: OpenEditor) -> None:
    Path("trialrun.toml").write_text('ignore = ["cron-dst"]\n', encoding="utf-8")
    editor.live = editor.live.with_request(replace(editor.live.request, profiles=Profiles(read_settings(os.getcwd()))))
    editor.open(JSON, "a.json")
    action = ignore_of(editor.actions("cron-syntax"))
    assert action is not None
    assert "[[suppress]]" in action.edits["trialrun.toml"][0].text


def test_settings_that_could_not_be_read_with_another_table_stay(editor: OpenEditor) -> None:
    Path("trialrun.toml").write_text("suppress = []\n", encoding="utf-8")
    editor.live = editor.live.with_request(replace(editor.live.request, profiles=Profiles(read_settings(os.getcwd()))))
    editor.open(JSON, "a.json")
    assert ignore_of(editor.actions("cron-syntax")) is None


# ---- other names, missing fields, all of a rule, refused fixes


def test_other_names_that_may_be_meant_come_after_the_fix_the_nearest_first(editor: OpenEditor) -> None:
    editor.open(HEAD + "syncConfig:\n  cron: CRON_TZ=America/Kentucky/Lousville 0 6 * * *\n")
    titles = [action.title for action in editor.actions("unknown-time-zone")]
    assert titles[0] == "use America/Kentucky/Louisville (unsafe; review the change)"


@pytest.mark.parametrize(
    ("declared", "step", "rule", "name"),
    [
        (HEAD.replace(VIEW_NAME, GUESTS), "sync: {view: gests}", "unknown-view", GUESTS),
        (
            "kind: Brand\nname: acme\nstores: [{name: austin}]\n",
            "resolve: {store: austn, expect: {values: []}}",
            "unknown-store",
            "austin",
        ),
    ],
)
def test_a_scenario_is_offered_the_names_that_there_are(
    editor: OpenEditor, declared: str, step: str, rule: str, name: str
) -> None:
    editor.open(f"{declared}---\nkind: Scenario\nname: s\nsteps:\n  - {step}\n")
    action = next(action for action in editor.actions(rule) if action.title.startswith(("use ", "write ")))
    assert action.title == f"write {name} (unsafe; review the change)"
    editor.open(editor.after(action))
    assert editor.found(rule) == []


def test_a_missing_field_is_added_with_a_value_that_is_to_be_filled_in(editor: OpenEditor) -> None:
    editor.open(HEAD.replace("uri: bq://p.d.t, ", ""))
    action = next(action for action in editor.actions("missing-field") if action.title.startswith("add "))
    assert editor.after(action) == HEAD.replace("bq://p.d.t", "<uri>")
    assert action.placeholder == "<uri>"
    editor.open(editor.after(action))
    assert [
        diagnostic.rule for diagnostic in editor.found() if diagnostic.rule in ("missing-field", "unfilled-placeholder")
    ] == ["unfilled-placeholder"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("warehouseSource: {}\n", "warehouseSource: {uri: <uri>}\n"),
        ("warehouseSource:\n  entityIdColumns: [id]\n", "warehouseSource:\n  uri: <uri>\n  entityIdColumns: [id]\n"),
        ("warehouseSource: {'entityIdColumns': [id]}\n", "warehouseSource: {uri: <uri>, 'entityIdColumns': [id]}\n"),
    ],
)
def test_a_field_stands_in_the_style_of_its_message(editor: OpenEditor, before: str, after: str) -> None:
    head = HEAD.partition("warehouseSource")[0]
    editor.open(head + before)
    assert (
        editor.after(next(action for action in editor.at("warehouseSource") if action.title.startswith("add uri")))
        == head + after
    )


def test_a_priority_is_the_first_that_is_free(editor: OpenEditor) -> None:
    upsells = "[{priority: 1, displayName: A}, {displayName: B}, {priority: 3, displayName: C}]"
    editor.open(
        f"kind: ChannelConfig\ntype: UPSELL_STRATEGY\noperationsConfig: {{upsellStrategy: {{upsells: {upsells}}}}}\n"
    )
    action = next(action for action in editor.actions("missing-field") if action.title.startswith("add priority"))
    assert "{priority: 2, displayName: B}" in editor.after(action)


def test_all_fixes_of_a_rule_at_once(editor: OpenEditor) -> None:
    editor.open(f"createTime: 2026-01-01T00:00:00Z\n{HEAD}updateTime: 2026-01-01T00:00:00Z\n")
    action = next(
        action for action in editor.actions("output-only-field") if action.title.startswith("apply all 2 fixes of")
    )
    assert (editor.after(action), len(action.fingerprints)) == (HEAD, 2)


def test_a_fix_that_cannot_be_made_says_why(editor: OpenEditor) -> None:
    editor.open("kind: Menu\nitems: [&a {nam: Fries, price: 1}, {<<: *a, name: Rings}]\n")
    told = [action for action in editor.at("nam: Fries") if action.disabled]
    assert [(action.title, action.edits) for action in told] == [("fix unknown-field", {})]


def test_the_end_of_a_suppression_cannot_be_ignored(editor: OpenEditor) -> None:
    editor.open(STEP.replace('* *"', '* *"  # trialrun: ignore[cron-uneven-step] until=2020-01-01 for now'))
    assert ignore_of(editor.actions("expired-suppression")) is None


@pytest.mark.generated
def test_all_safe_fixes_are_those_of_the_command_line(editor: OpenEditor) -> None:
    """In every example of the pages that has one; `check` runs as the command line does."""
    tried, compared = [*examples()], 0
    for example in tried[:: len(tried) // number_of_cases(len(tried), 3)]:
        path, text = os.path.basename(example.file), example.data.decode()
        editor.open(text, path)
        request = replace(editor.live.request, paths=[path])
        told = [editor.after(action) for action in code_action(editor.live, path, 0, 0, only=["source.fixAll"])]
        assert told == by_command(request, os.path.abspath(path), example.data)
        compared += len(told)
        editor.live.remove_overlay(os.path.abspath(path))
    assert compared > number_of_cases(10, 3)


def by_command(request: CheckRequest, file: str, data: bytes) -> list[str]:
    """The text that `check --fix` leaves, where it changes it."""

    def checked(texts: Mapping[str, bytes]) -> CheckResult:
        return check(replace(request, overlay={file: next(iter(texts.values()), data)}))

    mending = fix_until_stable(checked, lambda path: data, unsafe=False)
    return [file.source.text for file in mending.files]


def examples() -> Iterator[Example]:
    """The whole files that the pages of all rules show as bad."""
    for rule in registry.everything():
        for example in parse_docs(rule.doc).of_kind("bad"):
            if example.model is None and not example.bytes_escaped and not example.file.endswith(".json"):
                yield example


BRINGS = {
    ("missing-field", "unfilled-placeholder"),
    ("missing-field", "type-content-mismatch"),
    ("unknown-enum-value", "type-content-mismatch"),
    ("unknown-feature", "duplicate-item"),
}
"""What may be found after an action: that a value is still to be filled in, and what is true of the value written."""


@pytest.mark.generated
def test_each_action_mends_its_finding_in_all_examples(editor: OpenEditor) -> None:
    """One test for all, as each of hundreds is so small that a test of its own would take longer than it does."""
    tried = [*examples()]
    tried = tried[:: len(tried) // number_of_cases(len(tried))]
    wrong: list[tuple[str, str]] = []
    told: Counter[str] = Counter()
    for example in tried:
        path, text = os.path.basename(example.file), example.data.decode()
        editor.open(text, path)
        before = Counter((diagnostic.rule, diagnostic.message) for diagnostic in editor.found())
        for diagnostic in editor.found():
            for action in code_action(editor.live, path, 0, 0, [diagnostic.fingerprint], only=["quickfix"]):
                told[action.title.split()[0]] += 1
                if path in action.edits:
                    editor.open(edited(text, action.edits[path]), path)
                    after = Counter((each.rule, each.message) for each in editor.found())
                    rules = Counter(each.rule for each in editor.found()) - Counter(
                        rule for rule, _ in before.elements()
                    )
                    is_read_for_the_first_time = diagnostic.rule == "syntax-error"
                    brought = [rule for rule in rules if (diagnostic.rule, rule) not in BRINGS]
                    if after[diagnostic.rule, diagnostic.message] >= before[diagnostic.rule, diagnostic.message]:
                        wrong.append((diagnostic.rule, action.title))
                    elif brought and not is_read_for_the_first_time:
                        wrong.append((diagnostic.rule, f"{action.title} brings {brought}"))
                    editor.open(text, path)
        editor.live.remove_overlay(os.path.abspath(path))
    assert wrong == []
    titles = {"apply", "write", "suppress", "explain"} | ({"add"} if tries_all_cases() else set())
    assert titles <= told.keys()


# ---- edits of whole lines between two texts


TEXTS = st.lists(st.sampled_from(["a: 1", "b: 2\n", "\n", "  c: 🍔\r\n", "d\r", "\ufeff"]), max_size=12).map("".join)


def edits(before: str, after: str) -> tuple[TextEdit, ...]:
    return diff_edits(Source("", before), Source("", after))


@given(TEXTS, TEXTS)
def test_the_edits_make_one_text_of_the_other(before: str, after: str) -> None:
    assert edited(before, edits(before, after)) == after


@given(TEXTS, TEXTS)
def test_edits_are_in_order_and_do_not_overlap(before: str, after: str) -> None:
    made = edits(before, after)
    assert all(one.range.end <= other.range.start for one, other in pairwise(made))


def test_equal_texts_need_none() -> None:
    assert edits("a\nb\n", "a\nb\n") == ()


def test_lines_that_stay_are_in_no_edit() -> None:
    assert edits("a\nb\nc\nd\n", "A\nb\nc\nD\n") == (
        TextEdit(Range(Position(1, 1), Position(2, 1)), "A\n"),
        TextEdit(Range(Position(4, 1), Position(5, 1)), "D\n"),
    )


def test_too_many_lines_are_replaced_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_COMPARED_LINES", 3)
    assert len(edits("a\nb\nc\nd\n", "A\nb\nc\nD\n")) == 1
