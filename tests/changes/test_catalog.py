"""The catalogue of changes: every field of every model is in it, and every id has a page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from trialrun.changes.catalog import change_types, find_type, mirror_of, resource_type
from trialrun.changes.change import Level, Operation
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


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_a_kind_of_change(kind: str) -> None:
    missing = [
        f"{model.__name__}.{name}"
        for model in messages(model_of(kind))
        for name in model.model_fields
        if name != "kind" and not any(find_type(kind, model.__name__, name, operation) for operation in OPERATIONS)
    ]
    assert missing == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_resource_can_come_and_go(kind: str) -> None:
    added, removed = resource_type(kind, "added"), resource_type(kind, "removed")
    assert (mirror_of(added.id), mirror_of(removed.id)) == (removed.id, added.id)


def test_every_entry_names_a_field_that_there_is() -> None:
    known = {f"{model.__name__}.{name}" for kind in KINDS for model in messages(model_of(kind)) for name in
             model.model_fields}  # fmt: skip
    parts = {"FeatureView.parent", "SyncConfig.zone"}
    wildcards = {f"{model.__name__}.*" for kind in KINDS for model in messages(model_of(kind))}
    named = {subject for change_type in change_types().values() for subject, _ in change_type.subjects}
    assert named - known - parts - wildcards - set(KINDS) == set()


def test_mirrors_are_mutual() -> None:
    for change_type in change_types().values():
        assert mirror_of(mirror_of(change_type.id)) == change_type.id


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
