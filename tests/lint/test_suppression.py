"""What a suppression comment covers, what it says, and what is said about it."""

from dataclasses import replace
from datetime import date
from itertools import product

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import PATH, TODAY, linted, silenced
from trialrun.diagnostic import Diagnostic, Severity
from trialrun.fix import fixed_text
from trialrun.lint.selection import default_selection
from trialrun.lint.suppression.apply import apply_suppressions
from trialrun.lint.suppression.suppression import Scope
from trialrun.lint.suppression.suppressors import SuppressionContext
from trialrun.text import Source
from trialrun.workspace.lint_files import file_diagnostic


def told(found: list[Diagnostic]) -> list[tuple[int, str]]:
    """The line and the rule of each diagnostic, in order."""
    return [
        (diagnostic.range.start.line, diagnostic.rule)
        for diagnostic in sorted(found, key=lambda diagnostic: diagnostic.sort_key)
    ]


HEAD = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
"""
WRONG = "cron: 0 25 * * *"
CRON = "cron-syntax"


def view(rest: str) -> str:
    return HEAD + rest


def upsells(*items: str) -> str:
    head = "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\ntype: UPSELL_STRATEGY\n"
    return head + "operationsConfig:\n  upsellStrategy:\n    upsells:\n" + "".join(items)


COVERED = [
    view(f"syncConfig:\n  {WRONG}  # trialrun: ignore[{CRON}] why\n"),
    view(f"syncConfig:\n  # trialrun: ignore[{CRON}] why\n  {WRONG}\n"),
    view(f"syncConfig:  # trialrun: ignore[{CRON}] why\n  {WRONG}\n"),
    view(f"# trialrun: ignore[{CRON}] why\n\n# of another sort\n\nsyncConfig:\n  {WRONG}\n"),
    view(f"# trialrun: ignore[{CRON}] why\nsyncConfig: {{{WRONG}}}\n"),
    view(f"syncConfig: {{\n  {WRONG}\n}}  # trialrun: ignore[{CRON}] at the bracket\n"),
    view(f"syncConfig:\n  cron: >-  # trialrun: ignore[{CRON}] at the header\n    0 25\n    * * *\n"),
    view(f'syncConfig:\n  cron: "0 25\n    * * *"  # trialrun: ignore[{CRON}] at the end\n'),
    f"---  # trialrun: ignore[{CRON}] the document\n" + view(f"syncConfig: {{{WRONG}}}\n"),
    f"# trialrun: ignore[{CRON}] the document\n---\n" + view(f"syncConfig: {{{WRONG}}}\n"),
    f"# about it\n# trialrun: ignore-file[{CRON}] the file\n---\n" + view(f"syncConfig: {{{WRONG}}}\n"),
    f"---\n# trialrun: ignore-file[{CRON}] the file\n" + view(f"syncConfig: {{{WRONG}}}\n"),
    f"# trialrun: ignore[{CRON}] the resource\n- kind: FeatureView\n  "
    + view(f"syncConfig: {{{WRONG}}}\n").partition("\n")[2].replace("\n", "\n  "),
    view(f"syncConfig: {{{WRONG}}}\n")
    .replace("kind: FeatureView", "kind: FeatureView\n")
    .replace("syncConfig", f"# trialrun: ignore[{CRON}]\nsyncConfig"),
]


@each_of(product(COVERED, ["\n", "\r\n"]))
def test_a_comment_silences_its_rule_at_its_node(text: str, ends: str) -> None:
    found = silenced(text.replace("\n", ends))
    assert told(found.kept) == []
    assert [diagnostic.diagnostic.rule for diagnostic in found.suppressed] == [CRON]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_encoding_does_not_matter(encoding: str) -> None:
    assert told(silenced(COVERED[0].encode(encoding)).kept) == []


NOT_COVERED = [
    view(f"syncConfig:\n  # trialrun: ignore[{CRON}] why\n  continuous: false\n  {WRONG}\n"),
    view(f"labels:  # trialrun: ignore[{CRON}] why\n  team: a\nsyncConfig:\n  {WRONG}\n"),
    view(f"syncConfig:\n  {WRONG}\n# trialrun: ignore[{CRON}] nothing follows\n"),
    f"kind: FeatureView  # trialrun: ignore[{CRON}] the kind alone\n" + view(f"syncConfig: {{{WRONG}}}\n")[18:],
    view(f"# trialrun: ignore-file[{CRON}] not at the top\nsyncConfig: {{{WRONG}}}\n"),
    view(f"syncConfig: {{{WRONG}}}\n---  # trialrun: ignore[{CRON}] the next document\nkind: Brand\nname: b\n"),
]


@each_of(NOT_COVERED)
def test_a_comment_elsewhere_silences_nothing_and_is_unused(text: str) -> None:
    found = silenced(text)
    assert CRON in [rule for _, rule in told(found.kept)]
    assert "unused-suppression" in [rule for _, rule in told(found.kept)]
    assert found.suppressed == []


def test_a_comment_at_an_item_covers_the_item_and_no_other() -> None:
    item = "      - displayName: x\n        priority: 1\n        greetingOffer: {}\n"
    marked = item.replace("x\n", "x  # trialrun: ignore[duplicate-upsell-priority] both first\n")
    assert "duplicate-upsell-priority" in [rule for _, rule in told(silenced(upsells(marked, item)).kept)]
    assert told(silenced(upsells(item, marked)).kept) == [
        one for one in told(silenced(upsells(item, item)).kept) if one[1] != "duplicate-upsell-priority"
    ]


def test_what_points_at_the_first_key_of_a_document_is_silenced_there() -> None:
    text = "kind: ChannelConfig\ntype: AGENT_CUSTOMIZATION\n"
    assert told(silenced(text).kept) == [(1, "missing-name")]
    assert told(silenced(text.replace("Config\n", "Config # trialrun: ignore[missing-name]\n")).kept) == []


def test_a_value_behind_an_alias_is_silenced_where_it_stands() -> None:
    text = upsells(
        "      - {priority: 1, greetingOffer: &offer {messages: [{messageFrequency: 2}]}}"
        "  # trialrun: ignore[out-of-range]\n",
        "      - {priority: 2, greetingOffer: *offer}\n",
    )
    assert "out-of-range" in [rule for _, rule in told(linted(text.encode()).diagnostics)]
    assert not {"out-of-range", "unused-suppression"} & {rule for _, rule in told(silenced(text).kept)}


def test_a_syntax_error_is_silenced_on_its_line_or_in_the_whole_file() -> None:
    broken = "kind: Brand\nname: b\nstores:\n  - name: b: c{}\n"
    assert told(silenced(broken.format("")).kept) == [(4, "syntax-error")]
    assert told(silenced(broken.format("  # trialrun: ignore[syntax-error] why")).kept) == []
    assert told(silenced("# trialrun: ignore-file[syntax-error] why\n" + broken.format("")).kept) == []
    above = broken.format("").replace("stores:", "stores:  # trialrun: ignore[syntax-error]")
    assert told(silenced(above).kept) == [(4, "syntax-error")]


def test_a_sign_inside_a_text_is_no_comment() -> None:
    text = view('syncConfig:\n  cron: "0 25 * * *  # trialrun: ignore[cron-syntax]"\n')
    assert [rule for _, rule in told(silenced(text).kept)] == [CRON]


FORMS = {
    "ignore[cron-syntax] the reason": ("the reason", None, None),
    "IGNORE [ Cron-Syntax , ] -- the reason": ("the reason", None, None),
    "ignore[missing-etag,cron-syntax]: the reason owner=rides": ("the reason", "rides", None),
    "ignore[cron-syntax] until=2026-11-20, the reason": ("the reason", None, "2026-11-20"),
    "ignore[cron-syntax] <reason> owner=rides": ("", "rides", None),
    "ignore[cron-syntax] <reason> and more": ("<reason> and more", None, None),
    "ignore[cron-syntax] owner: rides until: 2027-01-31": ("", "rides", "2027-01-31"),
    "ignore[cron-syntax] the reason # <- another comment": ("the reason", None, None),
    "ignore[cron-syntax] see #12": ("see #12", None, None),
}


@each_of(
    [
        (mark, words, said)
        for words, said in FORMS.items()
        for mark in ["# trialrun: ", "#trialrun:", "# because # Trialrun : "]
    ]
)
def test_the_forms_of_a_comment(mark: str, words: str, said: tuple[str, str | None, str | None]) -> None:
    found = silenced(view(f"syncConfig:\n  {WRONG}  {mark}{words}\n"))
    assert told(found.kept) == []
    one = found.statuses[0]
    assert (one.reason, one.owner, one.until) == said
    assert [(each.reason, each.until, each.kind) for each in found.suppressed] == [(said[0], said[2], "comment")]


SAID = {
    "ignore": "the comment names no rule, so nothing is suppressed; write ignore[rule-id]",
    "ignore[]": "the comment names no rule, so nothing is suppressed; write ignore[rule-id]",
    "ignore[cron-syntax": "the comment names no rule, so nothing is suppressed; write ignore[rule-id]",
    "ignore cron-syntax": "the comment names no rule, so nothing is suppressed; write ignore[rule-id]",
    "ignore[cron-sintax]": 'unknown rule "cron-sintax"; did you mean cron-syntax?',
    "ignore[*]": 'unknown rule "*"; `trialrun rules` lists all',
    "ingore[cron-syntax]": "this suppresses nothing; write trialrun: ignore[rule-id]",
    "ignore-next-line[cron-syntax]": "this suppresses nothing; write trialrun: ignore[rule-id]",
    "disable-file=cron-syntax": "this suppresses nothing; write trialrun: ignore-file[rule-id]",
    "[cron-syntax]": "this suppresses nothing; write trialrun: ignore[rule-id]",
}


@each_of(SAID.items())
def test_what_names_no_rule_is_reported_and_silences_nothing(words: str, message: str) -> None:
    found = silenced(view(f"syncConfig:\n  {WRONG}  # trialrun: {words}\n"))
    assert {diagnostic.rule: diagnostic.message for diagnostic in found.kept}["unknown-rule"] == message
    assert sorted(diagnostic.rule for diagnostic in found.kept) == [CRON, "unknown-rule"]


def test_a_comment_without_its_colon_is_told() -> None:
    found = silenced(view(f"syncConfig:\n  {WRONG}  # trialrun ignore[cron-syntax]\n"))
    assert [diagnostic.rule for diagnostic in found.kept if diagnostic.rule != CRON] == ["unknown-rule"]


@pytest.mark.parametrize("words", ["trialrun: see the handbook", "trialrun checks [all] of this", "run by trialrun"])
def test_other_words_about_the_program_are_left_alone(words: str) -> None:
    assert told(silenced(view(f"# {words}\n")).kept) == []


def test_a_comment_without_a_blank_behind_its_sign_may_speak_of_the_program() -> None:
    assert told(silenced(view("#see the handbook of trialrun\n")).kept) == []


def test_an_unknown_name_leaves_the_others_at_work() -> None:
    found = silenced(view(f"syncConfig:\n  {WRONG}  # trialrun: ignore[no-such, cron-syntax]\n"))
    assert told(found.kept) == [(5, "unknown-rule")]


@pytest.mark.parametrize(
    ("today", "rules"), [(date(2026, 11, 20), []), (date(2026, 11, 21), [CRON, "expired-suppression"])]
)
def test_the_last_day_counts_as_a_whole(today: date, rules: list[str]) -> None:
    text = view(f"syncConfig:\n  {WRONG}  # trialrun: ignore[cron-syntax] until=2026-11-20\n")
    assert [rule for _, rule in told(silenced(text, today=today).kept)] == rules


@each_of(["2026-13-01", "2026-1-1", "20270131", "tomorrow", ""])
def test_a_date_that_is_none_never_silences(until: str) -> None:
    text = view(f"syncConfig:\n  {WRONG}  # trialrun: ignore[cron-syntax] until={until}\n")
    assert [rule for _, rule in told(silenced(text).kept)] == [CRON, "expired-suppression"]


def test_what_has_ended_or_failed_cannot_be_silenced() -> None:
    ended = "# trialrun: ignore[cron-syntax] until=2020-01-01\n"
    text = "# trialrun: ignore-file[expired-suppression, internal-error]\n" + view(ended)
    assert sorted(diagnostic.message for diagnostic in silenced(text).kept) == [
        "expired-suppression cannot be suppressed; remove the comment",
        "internal-error cannot be suppressed; remove the comment",
        "the suppression expired on 2020-01-01; fix what it hid, or set another date",
    ]


def test_what_is_said_about_a_comment_can_be_silenced_by_another_but_not_by_itself() -> None:
    text = view("# trialrun: ignore[cron-rare]\nlabels: {a: b}\n")
    assert told(silenced(text).kept) == [(4, "unused-suppression")]
    for other in ("ignore-file[unused-suppression]", "ignore-file[cron-rare, unused-suppression]"):
        found = silenced(f"# trialrun: {other}\n{text}")
        assert [line for line, _ in told(found.kept)] == [1] * other.count("cron-rare")
    alone = view("# trialrun: ignore[unused-suppression]\nlabels: {a: b}\n")
    assert told(silenced(alone).kept) == [(4, "unused-suppression")]


UNUSED_FIXED = [
    ("a: 1  # trialrun: ignore[cron-rare] why\n", "a: 1\n"),
    ("  # trialrun: ignore[cron-rare] why\na: 1\n", "a: 1\n"),
    ("a: 1  # why # trialrun: ignore[cron-rare]\n", "a: 1  # why\n"),
    ("a: 1  # trialrun: ignore[cron-rare] # why\n", "a: 1  # why\n"),
    ("a: |+\n  b\n# trialrun: ignore[cron-rare]\n\nc: 1\n", "a: |+\n  b\n#\n\nc: 1\n"),
    ("a: 1\n# trialrun: ignore[cron-rare]", "a: 1\n"),
]


@each_of([(before, after, ends) for before, after in UNUSED_FIXED for ends in ["\n", "\r\n"]])
def test_the_fix_takes_the_comment_away_and_nothing_else(before: str, after: str, ends: str) -> None:
    before, after = (text.replace("\n", ends) for text in (before, after))
    fixes = [diagnostic.fix for diagnostic in silenced(before).kept if diagnostic.rule == "unused-suppression"]
    assert [fix.safe for fix in fixes if fix] == [True]
    assert fixed_text(Source(PATH, before), [fix for fix in fixes if fix]) == after


@each_of(
    [
        ("cron-syntax, cron-rare", "cron-syntax"),
        ("cron-rare,cron-syntax", "cron-syntax"),
        ("cron-rare , cron-syntax,cron-syntax", "cron-syntax"),
        ("cron-dst, cron-syntax, cron-rare", "cron-syntax"),
    ]
)
def test_the_fix_takes_out_the_name_alone(names: str, rest: str) -> None:
    before, after = (view(f"syncConfig:\n  {WRONG}  # trialrun: ignore[{each}] why\n") for each in (names, rest))
    fixes = [diagnostic.fix for diagnostic in silenced(before).kept if diagnostic.fix]
    assert fixed_text(Source(PATH, before), fixes) == after


def test_only_rules_that_ran_are_called_unused() -> None:
    text = view("# trialrun: ignore[cron-rare, missing-etag, duplicate-resource-name, unknown-kind]\nlabels: {a: b}\n")
    messages = [diagnostic.message for diagnostic in silenced(text).kept]
    assert messages == [
        "no cron-rare is found here; remove it from the comment",
        "no duplicate-resource-name is found here; remove it from the comment",
    ]
    assert [diagnostic.message for diagnostic in silenced(text, whole=False).kept] == messages[:1]
    without = replace(default_selection(), rules=default_selection().rules - {"cron-rare"})
    assert [diagnostic.message for diagnostic in silenced(text, selection=without).kept] == messages[1:]


def test_nothing_is_called_unused_in_a_document_that_could_not_be_read_whole() -> None:
    text = view("# trialrun: ignore[cron-rare]\nlabels: {a: b}\n")
    assert told(silenced(text + "---\nkind: Brand\nname: b\n").kept) == [(4, "unused-suppression")]
    assert told(silenced(text + "a: b: c\n").kept) == [(6, "unknown-field"), (6, "syntax-error")]


def test_where_a_rule_failed_nothing_is_called_unused() -> None:
    report = linted(view("# trialrun: ignore[cron-rare]\nlabels: {a: b}\n").encode())
    fault = file_diagnostic("internal-error", Severity.ERROR, "a fault of ours", PATH)
    terms = SuppressionContext(lambda path: default_selection(), TODAY, True, frozenset({PATH}))
    assert [diagnostic.rule for diagnostic in apply_suppressions([], report.suppressions, terms).kept] == [
        "unused-suppression"
    ]
    assert apply_suppressions([fault], report.suppressions, terms).kept == [fault]


def test_of_a_file_that_was_not_looked_at_nothing_is_said() -> None:
    report = linted(view(f"# trialrun: ignore[no-such, {CRON}]\nsyncConfig: {{{WRONG}}}\n").encode())
    terms = SuppressionContext(lambda path: default_selection(), TODAY, False, frozenset())
    found = apply_suppressions(report.diagnostics, report.suppressions, terms)
    assert (found.kept, len(found.suppressed), found.statuses) == ([], 1, [])


def test_the_nearest_comment_gives_the_reason() -> None:
    text = view(f"# trialrun: ignore[{CRON}] far\nsyncConfig:\n  {WRONG}  # trialrun: ignore[{CRON}] near\n")
    found = silenced(text)
    assert (found.kept, [diagnostic.reason for diagnostic in found.suppressed]) == ([], ["near"])


def test_a_finding_across_files_is_silenced_at_its_node() -> None:
    assert told(silenced(view("---\n") + view("")).kept) == [(6, "duplicate-resource-name")]
    above = "# trialrun: ignore[duplicate-resource-name] a copy\n---\n"
    assert told(silenced(view(above) + view("")).kept) == []


def test_of_many_comments_few_are_asked_about_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Diagnostic] = []
    covers = Scope.covers
    monkeypatch.setattr(Scope, "covers", lambda scope, found: asked.append(found) or covers(scope, found))
    labels = "".join(f"  Bad{number}: x  # trialrun: ignore[invalid-label] why\n" for number in range(50))
    assert len(silenced(view(f"labels:\n{labels}")).suppressed) == len(asked) == 50


def test_an_outer_comment_covers_what_comes_after_an_inner_one() -> None:
    labels = "  Bad: x  # trialrun: ignore[invalid-label] inner\n  fine: y\n  Worse: z\n"
    found = silenced(view(f"labels:  # trialrun: ignore[invalid-label] outer\n{labels}"))
    assert [diagnostic.reason for diagnostic in found.suppressed] == ["inner", "outer"]


def test_fingerprints_do_not_depend_on_lines() -> None:
    text = view("# trialrun: ignore[cron-rare]\nlabels: {a: b}\n")
    moved = "# one\n\n# two\n" + text
    assert [diagnostic.fingerprint for diagnostic in silenced(text).kept] == [
        diagnostic.fingerprint for diagnostic in silenced(moved).kept
    ]
