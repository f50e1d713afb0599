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
from trialrun.lsp.results import InlayHint
from trialrun.model.channel_config import CelUpsell, OfferMessage, UpsellStrategy
from trialrun.model.companion import Brand
from trialrun.model.feature_view import DEFAULT_LEAF_NODE_EMBEDDING_COUNT, AutomaticResources, TreeAHConfig
from trialrun.model.node import Node, message_fields
from trialrun.parser import Document
from trialrun.runtime.channel_config.dialogue.messages import OFFER_TYPES, message_lotteries
from trialrun.runtime.feature_view.schedule import CronSchedule, OnDemand
from trialrun.runtime.options import MessageDraw, Options, runtime_options
from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile
from trialrun.workspace.open_workspace.catalog_cache import brands

ALIAS = re.compile(r"""["']?[ \t]*:[ \t\r\n]*\*[^\s,\[\]{}]+""")
"""What is behind a key whose value is an alias."""
DEFAULTS = "The documented defaults of what is left out."
SHARES = (
    "How often the message is used: it has no `messageFrequency`. Where no message of its offer has one, each is as "
    "likely; where some have, those without are not used."
)
Hint = tuple[int, str, str]
"""The offset that the hint is before, its text, and what is shown beside it."""


def inlay_hint(workspace: OpenWorkspace, path: str, start: int = 0, end: int | None = None) -> tuple[InlayHint, ...]:
    """The hints of a text, or of the characters from `start` to `end`, in the order of their places."""
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    hints = sorted(hint for part in file.resources for hint in _hints(workspace, file, part))
    last = len(file.source.text) if end is None else end
    return tuple(_to_inlay_hint(file, hint) for hint in hints if start <= hint[0] <= last)


def _to_inlay_hint(file: WorkspaceFile, hint: Hint) -> InlayHint:
    offset, text, markdown = hint
    position = file.source.position(offset)
    return InlayHint(position.line, position.column, text, markdown)


def _hints(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    yield from _defaults(file, part)
    match part.kind:
        case "FeatureView":
            yield from _next_run(workspace, file, part)
        case "ChannelConfig":
            yield from _stores(workspace, file, part)
            yield from _shares(workspace, file, part)
        case "Brand":
            yield from _bindings(workspace, file, part)


def _next_run(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    """The next run behind a cron schedule."""
    now, offset = workspace.request.now, _behind(file, part, "syncConfig", "cron")
    schedule = schedule_of_view(part.model.node, workspace) if offset is not None else None
    if offset is None or schedule is None:
        return
    words = next_run_words(schedule, now, "next")
    if words and isinstance(schedule, CronSchedule | OnDemand):
        yield offset, words, "\n\n".join(schedule_paragraphs(schedule, now))


def _defaults(file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    """The defaults of fields that a message leaves out, behind the name of the message."""

    for node in _messages(part.model.node):
        left_out = [f"{name} {value}" for name, value in defaults_in_force(node)]
        path = part.model.path(SymbolicLocation(node)) if left_out else ()
        offset = _behind_message(file, part.document, path) if path else None
        if offset is not None:
            yield offset, ", ".join(left_out), DEFAULTS


def _stores(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    """At how many stores a config is effective, behind its name."""
    catalog, offset = brands(workspace), _behind(file, part, "name")
    if offset is None or not catalog.brands:
        return
    applied = applied_configs(workspace).get((file.path, part.document.index, json_pointer(part.root)), ())
    yield offset, effective_count(applied), "\n\n".join(stores_paragraphs(applied, catalog))


def _bindings(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    """At how many stores each binding of a brand applies, behind the name of its config."""
    catalog, brand = brands(workspace), part.model.node
    places = applied_by_binding(workspace)
    for index in range(len(brand.bindings or ()) if isinstance(brand, Brand) else 0):
        place, offset = (
            brand.location("bindings", index, "channelConfig"),
            _behind(file, part, "bindings", index, "channelConfig"),
        )
        applied = places.get((file.path, file.range(part.span(place))), ())
        if offset is not None:
            yield offset, applied_count(applied), "\n\n".join(stores_paragraphs(applied, catalog))


def _shares(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Hint]:
    """How often a message is used that says no frequency, where its offer has others."""

    for message, words in implicit_frequencies(part.model.node, _options(workspace).message_draw):
        offset = _behind_message(file, part.document, part.model.path(SymbolicLocation(message)))
        if offset is not None:
            yield offset, words, SHARES


def _options(workspace: OpenWorkspace) -> Options:
    return runtime_options(workspace.request.profiles.settings.runtime)


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
    document, path = part.document, part.model.path(SymbolicLocation(part.model.node, steps))
    if not document.path_exists(path):
        return None
    if document.is_aliased(path):
        return _behind_alias(file, document, path)
    if document.style(path) in ("literal", "folded"):
        return _line_end(file, document, path)
    return document.span(path).end


def _behind_message(file: WorkspaceFile, document: Document, path: Path) -> int | None:
    """The offset behind the key of a message in lines, behind the braces of one in flow style, or behind its alias."""
    if not document.path_exists(path):
        return None
    if document.is_aliased(path):
        return _behind_alias(file, document, path)
    return _line_end(file, document, path) if document.style(path) == "block" else document.span(path).end


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


def defaults_in_force(node: Node) -> Iterator[tuple[str, str]]:
    """The fields that a message does not have and that count all the same, each with its value."""
    for name, value in documented().get(type(node), {}).items():
        if not node.has(name):
            yield name, value


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
