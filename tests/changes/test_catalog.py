"""The catalogue of changes: every field of every model is in it, and every id has a page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.cases import each_of
from tests.changes.git_workspace import changes, commit, view
from tests.program import Run
from trialrun.changes.change import Level, Operation, change_types, find_type, resource_type
from trialrun.lint import registry
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.node import Node, message_fields

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


@each_of(KINDS)
def test_every_field_is_a_kind_of_change(kind: str) -> None:
    missing = [
        f"{model.__name__}.{name}"
        for model in messages(model_of(kind))
        for name in model.model_fields
        if name != "kind" and not any(find_type(kind, model.__name__, name, operation) for operation in OPERATIONS)
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
