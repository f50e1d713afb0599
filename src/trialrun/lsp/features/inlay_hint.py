"""Inlay hints: next runs, defaults in effect, message frequencies, and the number of stores of a config."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache

from trialrun.diagnostic import Path, SymbolicLocation, json_pointer
from trialrun.lsp.describe.schedule import next_run_words, schedule_of_view, schedule_paragraphs
from trialrun.lsp.describe.stores import (
    applied_by_binding,
    applied_configs,
    applied_count,
    effective_count,
    stores_paragraphs,
)
from trialrun.lsp.results import Object, markdown
from trialrun.model.channel_config import CelUpsell, OfferMessage, UpsellStrategy
from trialrun.model.companion import Brand
from trialrun.model.feature_view import DEFAULT_LEAF_NODE_EMBEDDING_COUNT, AutomaticResources, TreeAHConfig
from trialrun.model.node import Node, message_fields
from trialrun.parser import Document
from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, message_lotteries
from trialrun.runtime.feature_view.schedule import CronSchedule, OnDemand
from trialrun.runtime.options import MessageDraw, runtime_options
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile
from trialrun.workspace.open_workspace.catalog_cache import brands

ALIAS = re.compile(r"""["']?[ \t]*:[ \t\r\n]*\*[^\s,\[\]{}]+""")
"""What is behind a key whose value is an alias."""
DEFAULTS = "The documented defaults of what is left out."
SHARES = (
    "How often the message is used: it has no `messageFrequency`. Where no message of its offer has one, each is as "
    "likely; where some have, those without are not used."
)
Hint = tuple[int | None, str, str]
"""The offset that the hint is before, its text, and what is shown beside it; None if the text has no place for it."""


def inlay_hint(workspace: OpenWorkspace, path: str, start: int = 0, end: int | None = None) -> list[Object]:
    """The hints of a text, or of the characters from `start` to `end`, in the order of their places."""
    file = workspace.workspace_file(path)
    if file is None:
        return []
    last = len(file.source.text) if end is None else end
    hints = (hint for part in file.resources for hint in _hints(workspace, file, part))
    return [
        {
            "position": file.source.position(offset),
            "label": text,
            **({"tooltip": markdown(beside)} if beside else {}),
            "paddingLeft": True,
        }
        for offset, text, beside in sorted((one[0], *one[1:]) for one in hints if one[0] is not None)
        if start <= offset <= last
    ]


def _hints(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    for node in _messages(part.model.node):
        defaults = documented().get(type(node), {}).items()
        left_out = [f"{name} {value}" for name, value in defaults if not node.has(name)]
        if left_out and (path := part.model.path(SymbolicLocation(node))):
            yield _behind_message(file, part.document, path), ", ".join(left_out), DEFAULTS
    match part.kind:
        case "FeatureView":
            yield from _next_run(workspace, file, part)
        case "ChannelConfig" | "Brand":
            yield from _stores(workspace, file, part)
            draw = runtime_options(workspace.request.profiles.settings.runtime).message_draw
            for message, words in implicit_frequencies(part.model.node, draw):
                path = part.model.path(SymbolicLocation(message))
                yield _behind_message(file, part.document, path), words, SHARES


def _next_run(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    now, offset = workspace.request.now, _behind(file, part, "syncConfig", "cron")
    schedule = schedule_of_view(part.model.node, workspace) if offset is not None else None
    words = next_run_words(schedule, now, "next") if schedule else None
    if words and isinstance(schedule, CronSchedule | OnDemand):
        yield offset, words, "\n\n".join(schedule_paragraphs(schedule, now))


def _stores(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    """At how many stores a config is effective, behind its name; each binding of a brand, behind that of its config."""
    catalog, node = brands(workspace), part.model.node
    if part.kind == "ChannelConfig" and catalog.brands:
        applied = applied_configs(workspace).get((file.path, part.document.index, json_pointer(part.root)), ())
        yield _behind(file, part, "name"), effective_count(applied), "\n\n".join(stores_paragraphs(applied, catalog))
    for index in range(len(node.bindings or ()) if isinstance(node, Brand) else 0):
        steps = "bindings", index, "channelConfig"
        place = file.range(part.span(node.location(*steps)))
        applied = applied_by_binding(workspace).get((file.path, place), ())
        yield _behind(file, part, *steps), applied_count(applied), "\n\n".join(stores_paragraphs(applied, catalog))


def _messages(node: Node) -> Iterator[Node]:
    """A message and all messages in it."""
    yield node
    for name, listed, _ in message_fields(type(node)):
        value = getattr(node, name)
        for inner in (value or ()) if listed else (value,):
            if inner is not None:
                yield from _messages(inner)


def _behind(file: WorkspaceFile, part: ResourceInFile, *steps: str | int) -> int | None:
    """The offset behind a scalar of the model, or behind the alias that it is at; None if there is none."""
    path = part.model.path(SymbolicLocation(part.model.node, steps))
    return _behind_message(file, part.document, path, block=("literal", "folded"))


def _behind_message(
    file: WorkspaceFile, document: Document, path: Path, *, block: tuple[str, ...] = ("block",)
) -> int | None:
    """The offset behind the key of a message in lines, behind the braces of one in flow style, or behind its alias.

    `block` are the styles of what is below its key.
    """
    if not document.path_exists(path):
        return None
    if document.is_aliased(path):
        return _behind_alias(file, document, path)
    return _line_end(file, document, path) if document.style(path) in block else document.span(path).end


def _behind_alias(file: WorkspaceFile, document: Document, path: Path) -> int | None:
    """The offset behind the alias that repeats a value under a key, as in `syncConfig: *daily`; None for a merge."""
    depth = next(depth for depth in range(1, len(path) + 1) if document.is_aliased(path[:depth]))
    key = document.key_span(path[:depth])
    alias = ALIAS.match(file.source.text, key.end) if key else None
    return alias.end() if alias else None


def _line_end(file: WorkspaceFile, document: Document, path: Path) -> int | None:
    """The end of the line of a key, or of the first key of an item of a list."""
    key = document.key_span(path) or document.first_key_span(path)
    line = file.source.position(key.end).line
    return file.source.line_starts[line - 1] + len(file.source.line(line).rstrip())


@cache
def documented() -> Mapping[type[Node], Mapping[str, str]]:
    """The defaults that the specification names, by message and field."""
    unset = AutomaticResources()
    return {
        AutomaticResources: {"minReplicaCount": str(unset.min_replicas), "maxReplicaCount": str(unset.max_replicas)},
        TreeAHConfig: {"leafNodeEmbeddingCount": str(DEFAULT_LEAF_NODE_EMBEDDING_COUNT)},
        CelUpsell: {"priority": "0"},
    }


def implicit_frequencies(config: Node, message_draw: MessageDraw) -> Iterator[tuple[OfferMessage, str]]:
    """The messages of a ChannelConfig without a frequency that are weighed with others, each with its share."""
    operations = getattr(config, "operationsConfig", None)
    strategy: UpsellStrategy | None = operations.upsellStrategy if operations else None
    if strategy is None:
        return
    for kind in OFFER_TYPES:
        for at, weighed in enumerate(message_lotteries(strategy, kind, message_draw)):
            of_what = "this offer" if at else "sessions"  # a later offer is made where those before it are not
            for message in weighed.messages if len(weighed.messages) > 1 else ():
                if not message.message.has("messageFrequency"):
                    yield message.message, f"{message.share} of {of_what}" if message.share else "not used"
