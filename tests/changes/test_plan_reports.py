"""Reports of plans: a comment of a review that texts from files cannot take over, annotations, and a page."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cases import each_of, first_of
from tests.changes.git_workspace import change_example, changes, commit, revise, view
from tests.cli.example_workspace import NOON
from tests.program import Run, own_environment
from trialrun.changes import report
from trialrun.changes.change import change_types, resource_type, type_of
from trialrun.changes.report import MARKER, code
from trialrun.changes.text_report import MAX_LINES, SHORTENED
from trialrun.lint import registry
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import Node, message_fields
from trialrun.outputs.plan import Level, Operation

HOSTILE = (
    "@everyone see #1 and GH-2",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "<img src=x onerror=alert(1)>",
    "</code><script>alert(1)</script>",
    "https://evil.example www.evil.example a@evil.example",
    "| a | b |",
    "\\| a \\\\| b",
    "`code` ``` ~~~",
    "**bold** _em_ ~~gone~~ :smile:",
    "</details></details>",
    "<!-- trialrun plan -->",
    "&lt;b&gt; &#64;everyone",
    "line\n\n# heading\n- item",
    "::error::x",
    "\u202eevil\u0007",
)
TAGS = ("<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>", MARKER)
CODE = re.compile("<code>(.*?)</code>")
INSIDE = re.compile(r"(?:[A-Za-z0-9 ,/-]|[^\x00-\x7f]|&#[0-9]+;)*")


@each_of(HOSTILE)
def test_a_text_is_nothing_but_text(text: str) -> None:
    matched = CODE.fullmatch(code(text))
    assert matched and INSIDE.fullmatch(matched[1])


def hostile(folder: Path) -> None:
    """A workspace with texts and names that want to be more than text."""
    texts = [{"upsellStrategy": {"cateringGuidelines": text}} for text in HOSTILE]
    name = "projects/p/locations/l/brands/b/channelConfigs/"
    for number in range(len(texts)):
        document = {"kind": "ChannelConfig", "name": f"{name}@org/team#{number}<b>", "type": "UPSELL_STRATEGY"}
        write_json(folder / f"a `{number}` @me.json", {**document, "operationsConfig": {}})
    commit(folder)
    for number, config in enumerate(texts):
        document = {"kind": "ChannelConfig", "name": f"{name}@org/team#{number}<b>", "type": "UPSELL_STRATEGY"}
        write_json(folder / f"a `{number}` @me.json", {**document, "operationsConfig": config})


def write_json(file: Path, value: object) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")


def test_a_comment_that_files_cannot_take_over(run: Run, tmp_path: Path) -> None:
    hostile(tmp_path)
    out = run("plan", "HEAD", "--output-format", "markdown").out
    assert out.count(MARKER) == 1
    assert out.count("<details>") == out.count("</details>") > 0
    outside = CODE.sub("", out)
    for tag in TAGS:
        outside = outside.replace(tag, "")
    outside = re.sub("`[a-z-]+`", "", outside)
    assert not re.search(r"[<>@\[\]`#](?!## trialrun plan)", outside.replace("### trialrun plan", ""))
    assert all(INSIDE.fullmatch(inside) for inside in CODE.findall(out))


def test_breaking_and_risky_first_the_rest_folded(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, view(features="size, weight"))
    out = run("plan", "HEAD", "--output-format", "markdown").out
    assert out.splitlines()[:8] == [
        MARKER,
        "### trialrun plan: 1 breaking, 0 risky, 1 safe",
        "",
        "<code>HEAD</code> → <code>working tree</code>; resources: 1 changed",
        "",
        "| | change | resource | before | after | reach |",
        "|---|---|---|---|---|---|",
        "| 🛑 | `feature-removed` | <code>menu</code> | <code>price</code> |  |  |",
    ]
    assert "<details><summary>1 safe change</summary>" in out


def test_annotations(run: Run, tmp_path: Path) -> None:
    revise(tmp_path, view(cron="0 4 * * *", features="size, weight"), view(), "a, b.yaml")
    assert run("plan", "HEAD", "--output-format", "github").out.splitlines() == [
        "::error file=a%2C b.yaml,line=7,endLine=7,col=7,endColumn=17,title=breaking change%3A feature-removed::"
        "a, b.yaml:7:7: feature-removed menu%0A- price%0AReaders no longer get it.",
        "::warning file=a%2C b.yaml,line=3,endLine=3,col=20,endColumn=31,title=risky change%3A schedule-changed::"
        "a, b.yaml:3:20: schedule-changed menu%0A- 0 3 * * *%0A+ 0 4 * * *%0A"
        "What is served is older or newer than before at some hours of the day.",
        "safe: a, b.yaml:7:26: feature-added menu",
        "not compared: rows: sources are read only with --rows",
        "1 breaking, 1 risky, 1 safe: 3 changes between HEAD and working tree",
    ]


def test_annotations_that_files_cannot_take_over(run: Run, tmp_path: Path) -> None:
    hostile(tmp_path)
    lines = run("plan", "HEAD", "--output-format", "github").out.splitlines()
    assert all(line.startswith(("::warning file=", "safe: ", "not compared: ", "0 breaking")) for line in lines)


def test_no_line_of_the_page_is_a_command(run: Run, tmp_path: Path) -> None:
    (tmp_path / "::error::x.yaml").write_text(view("other", features="size"))
    hostile(tmp_path)
    (tmp_path / "::error::x.yaml").write_text(view("other", features="weight"))
    ran = run("plan", "HEAD", "--output-format", "text=page.txt", "--output-format", "text")
    for page in (ran.out, (tmp_path / "page.txt").read_text(encoding="utf-8")):
        assert ":error::x.yaml:7:7" in page
        assert not re.search(r"(?m)^\s*::", page)


@pytest.mark.parametrize("columns", first_of([60, 40, 100]))
def test_pages_are_as_wide_as_the_terminal(run: Run, tmp_path: Path, columns: int) -> None:
    change_example(tmp_path)
    ran = run("plan", "HEAD", *NOON, "--no-scenarios", COLUMNS=str(columns))
    paths = [word for line in ran.out.splitlines() for word in line.split() if len(word) > columns - 6]
    wide = [line for line in ran.out.splitlines() if len(line) > columns and not any(path in line for path in paths)]
    assert wide == []


@pytest.mark.exhaustive
def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    change_example(tmp_path)
    words = f"{sys.executable} -m trialrun plan HEAD --no-scenarios | head -1"
    done = subprocess.run(
        ["bash", "-c", words], cwd=tmp_path, env=own_environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


def test_every_part_of_a_comment_has_room(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes of all levels, findings, and files that cannot be read: more than there is room for, in each section."""
    monkeypatch.setattr(report, "MAX_CHARACTERS", 10_000)
    for number in range(35):
        (tmp_path / f"{number}.yaml").write_text(view(f"view{number}", features="a, b, c"))
        (tmp_path / f"gone{number}.yaml").write_text(view(f"gone{number}"))
    commit(tmp_path)
    for number in range(35):
        (tmp_path / f"{number}.yaml").write_text(view(f"view{number}", cron="1 25 * * *", features="b, d"))
        (tmp_path / f"gone{number}.yaml").write_text("kind: FeatureView\nname: [\n")
    out = run("plan", "HEAD", "--output-format", "markdown", *NOON).out
    assert out.startswith(f"{MARKER}\n### trialrun plan: 70 breaking, 35 risky, 35 safe\n")
    assert 9_000 < len(out) <= 10_000
    assert re.search(r"\n[0-9]+ rows left out: run `trialrun plan` to see all[.]\n", out)
    assert out.count("<details>") == out.count("</details>") == 4


OPERATIONS: tuple[Operation, ...] = ("changed", "added", "removed")


def messages(root: type[Node]) -> Iterator[type[Node]]:
    """The messages that a kind of document is made of."""
    pending, seen = [root], {root}
    while pending:
        model = pending.pop()
        yield model
        new = {inner for _, _, inner in message_fields(model)} - seen
        seen |= new
        pending += new


def has_type(kind: str, model: type[Node], field: str, operation: Operation) -> bool:
    try:
        return bool(type_of(kind, model.__name__, field, operation))
    except KeyError:
        return False


@each_of(KINDS)
def test_every_field_is_a_kind_of_change(kind: str) -> None:
    missing = [
        f"{model.__name__}.{name}"
        for model in messages(model_of(kind))
        for name in model.model_fields
        if name != "kind" and not any(has_type(kind, model, name, operation) for operation in OPERATIONS)
    ]
    assert missing == []


@each_of(KINDS)
def test_a_resource_can_come_and_go(kind: str) -> None:
    added, removed = resource_type(kind, "added"), resource_type(kind, "removed")
    assert (added.mirror, removed.mirror) == (removed.id, added.id)


def test_every_entry_names_a_field_that_there_is() -> None:
    known = {f"{model.__name__}.{name}" for kind in KINDS for model in messages(model_of(kind)) for name in
             model.model_fields}  # fmt: skip
    parts = {"FeatureView.parent", "SyncConfig.zone"}
    wildcards = {f"{model.__name__}.*" for kind in KINDS for model in messages(model_of(kind))}
    named = {subject for change_type in change_types().values() for subject, _ in change_type.subjects}
    assert named - known - parts - wildcards - set(KINDS) == set()


def test_mirrors_are_mutual() -> None:
    for change_type in change_types().values():
        assert change_types()[change_type.mirror].mirror == change_type.id


def test_texts_are_sentences() -> None:
    for change_type in change_types().values():
        for text in (change_type.summary, change_type.why):
            assert text[0].isupper() and text.endswith(".")


def test_levels_that_the_issue_names() -> None:
    levels = {id: change_type.level for id, change_type in change_types().items()}
    breaking = ("view-removed", "view-renamed", "feature-removed", "config-removed", "entity-id-columns-changed",
                "source-kind-changed", "embedding-dimension-changed", "distance-changed", "index-algorithm-changed",
                "view-store-changed", "binding-removed")  # fmt: skip
    risky = ("schedule-changed", "schedule-zone-changed", "source-uri-changed", "filter-columns-changed",
             "replicas-changed", "upsell-limits-changed", "condition-changed", "message-text-changed",
             "upsell-priority-changed", "agent-feature-enabled", "tone-changed", "upsell-reordered")  # fmt: skip
    safe = ("view-labels-changed", "description-changed")
    assert {levels[id] for id in breaking} == {Level.BREAKING}
    assert {levels[id] for id in risky} == {Level.RISKY}
    assert {levels[id] for id in safe} == {Level.SAFE}


def test_every_row_of_the_page_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "changes.md").read_text(encoding="utf-8")
    rows = [row.split(" | ") for row in page.splitlines() if row.startswith("| `")]
    assert sorted(row[0].strip("| `") for row in rows) == list(change_types())
    assert {len(row) for row in rows} == {5}


def test_no_two_changes_are_about_the_same() -> None:
    subjects = [subject for change_type in change_types().values() for subject in change_type.subjects]
    assert len(subjects) == len(set(subjects))


def test_explain_shows_the_page_of_every_change(run: Run) -> None:
    shown = {id: run("explain", id) for id in change_types()}
    assert {id: ran for id, ran in shown.items() if (ran.code, ran.err) != (0, "")} == {}
    assert [id for id, ran in shown.items() if change_types()[id].why not in ran.out] == []
    assert [id for id, ran in shown.items() if max(map(len, ran.out.splitlines())) > 120] == []


def test_no_change_has_the_id_of_a_rule() -> None:
    assert set(change_types()).isdisjoint(registry.ids())


def test_levels_are_set_by_id(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    (tmp_path / "trialrun.toml").write_text('[change-levels]\nschedule-changed = "breaking"\n')
    commit(tmp_path)
    (tmp_path / "a.yaml").write_text(view(cron="0 4 * * *"))
    assert changes(run) == ["breaking schedule-changed a.yaml/syncConfig/cron"]


def test_an_unknown_id_in_the_settings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('[change-levels]\nschedule-change = "breaking"\n')
    commit(tmp_path)
    ran = run("plan", "HEAD")
    assert ran.code == 2
    assert (
        'trialrun.toml:2: change-levels: there is no kind of change "schedule-change"; did you mean "schedule-changed"?'
        in ran.err
    )


def test_a_long_plan_is_shortened_with_counts_of_the_rest_but_for_a_file(run: Run, tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"view{number}.yaml").write_text(view(f"view{number}"), encoding="utf-8")
    commit(tmp_path)
    for number in range(60):
        (tmp_path / f"view{number}.yaml").write_text(view(f"view{number}", features="price"), encoding="utf-8")
    ran = run("plan", "HEAD", "--fail-on", "never", cwd=tmp_path)
    assert 150 < ran.out.count("\n") <= MAX_LINES
    shown = ran.out.count("feature-removed")
    assert f"and {60 - shown} changes more: {60 - shown} breaking" in ran.out
    assert ran.out.endswith(f"{SHORTENED}\n")
    run("plan", "HEAD", "--fail-on", "never", "--output-format", "text=whole.txt", cwd=tmp_path)
    whole = (tmp_path / "whole.txt").read_text(encoding="utf-8")
    assert whole.count("feature-removed") == 60
    assert SHORTENED not in whole
