"""Short texts in the lines: next runs, defaults in force, shares of messages, and at how many stores a config is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Place, json_pointer
from trialrun.lsp.results import InlayHint

if TYPE_CHECKING:
    from trialrun.diagnostic import Path
    from trialrun.model.node import Node
    from trialrun.parser import Document
    from trialrun.runtime.options import Options
    from trialrun.workspace.open_workspace import Live, Part, Reading

ALIAS = re.compile(r"""["']?[ \t]*:[ \t\r\n]*\*[^\s,\[\]{}]+""")
"""What stands behind a key whose value is an alias."""
DEFAULTS = "The documented defaults of what is left out."
SHARES = (
    "How often the message is used: it has no `messageFrequency`. Where no message of its offer has one, each is as "
    "likely; where some have, those without are not used."
)
Hint = tuple[int, str, str]
"""The offset that the hint stands before, its text, and what is shown beside it."""


def inlay_hints(live: Live, path: str, start: int = 0, end: int | None = None) -> tuple[InlayHint, ...]:
    """The hints of a text, or of the characters from `start` to `end`, in the order of their places."""
    reading = live.reading(path)
    if reading is None:
        return ()
    found = sorted(hint for part in reading.parts for hint in _hints(live, reading, part))
    last = len(reading.source.text) if end is None else end
    return tuple(_placed(reading, hint) for hint in found if start <= hint[0] <= last)


def _placed(reading: Reading, hint: Hint) -> InlayHint:
    offset, text, markdown = hint
    position = reading.source.position(offset)
    return InlayHint(position.line, position.column, text, markdown)


def _hints(live: Live, reading: Reading, part: Part) -> Iterator[Hint]:
    yield from _defaults(reading, part)
    match part.kind:
        case "FeatureView":
            yield from _next_run(live, reading, part)
        case "ChannelConfig":
            yield from _stores(live, reading, part)
            yield from _shares(live, reading, part)
        case "Brand":
            yield from _bindings(live, reading, part)


def _next_run(live: Live, reading: Reading, part: Part) -> Iterator[Hint]:
    """The next run behind a cron schedule."""
    from trialrun.lsp.describe.schedule import next_run_called, schedule_paragraphs, schedule_told
    from trialrun.runtime.feature_view.schedule import OnCron, OnDemand

    now, offset = live.request.now, _behind(reading, part, "syncConfig", "cron")
    schedule = schedule_told(part.fitted.node, live) if offset is not None else None
    if offset is None or schedule is None:
        return
    words = next_run_called(schedule, now, "next")
    if words and isinstance(schedule, OnCron | OnDemand):
        yield offset, words, "\n\n".join(schedule_paragraphs(schedule, now))


def _defaults(reading: Reading, part: Part) -> Iterator[Hint]:
    """The defaults of fields that a message leaves out, behind the name of the message."""
    from trialrun.lsp.describe.defaults import defaults_in_force

    for node in _messages(part.fitted.node):
        left_out = [f"{name} {value}" for name, value in defaults_in_force(node)]
        path = part.fitted.path(Place(node)) if left_out else ()
        offset = _behind_message(reading, part.document, path) if path else None
        if offset is not None:
            yield offset, ", ".join(left_out), DEFAULTS


def _stores(live: Live, reading: Reading, part: Part) -> Iterator[Hint]:
    """At how many stores a config is effective, behind its name."""
    from trialrun.lsp.describe.stores import applied, effective_words, stores_paragraphs
    from trialrun.workspace.open_workspace.catalog_cache import brands

    catalog, offset = brands(live), _behind(reading, part, "name")
    if offset is None or not catalog.brands:
        return
    found = applied(catalog, _options(live).list_merge).get(
        (reading.path, part.document.index, json_pointer(part.root)), ()
    )
    yield offset, effective_words(found), "\n\n".join(stores_paragraphs(found, catalog))


def _bindings(live: Live, reading: Reading, part: Part) -> Iterator[Hint]:
    """At how many stores each binding of a brand applies, behind the name of its config."""
    from trialrun.lsp.describe.stores import applied_words, named, stores_paragraphs
    from trialrun.model.companion import Brand
    from trialrun.workspace.open_workspace.catalog_cache import brands

    catalog, brand = brands(live), part.fitted.node
    places = named(catalog, _options(live).list_merge)
    for index in range(len(brand.bindings or ()) if isinstance(brand, Brand) else 0):
        place, offset = (
            brand.at("bindings", index, "channelConfig"),
            _behind(reading, part, "bindings", index, "channelConfig"),
        )
        found = places.get((reading.path, reading.range(part.span(place))), ())
        if offset is not None:
            yield offset, applied_words(found), "\n\n".join(stores_paragraphs(found, catalog))


def _shares(live: Live, reading: Reading, part: Part) -> Iterator[Hint]:
    """How often a message is used that says no frequency, where its offer has others."""
    from trialrun.lsp.describe.frequencies import shares_left_open

    for message, words in shares_left_open(part.fitted.node, _options(live).message_draw):
        offset = _behind_message(reading, part.document, part.fitted.path(Place(message)))
        if offset is not None:
            yield offset, words, SHARES


def _options(live: Live) -> Options:
    from trialrun.workspace.dry_run import options

    return options(live.request.profiles.settings.runtime)


def _messages(node: Node) -> Iterator[Node]:
    """A message and all messages in it."""
    from trialrun.model.node import parts

    yield node
    for name, listed, _ in parts(type(node)):
        value = getattr(node, name)
        for inner in (value or ()) if listed else (value,):
            if inner is not None:
                yield from _messages(inner)


def _behind(reading: Reading, part: Part, *steps: str | int) -> int | None:
    """The offset behind a scalar of the model, or behind the alias that it stands at; None where there is none."""
    document, path = part.document, part.fitted.path(Place(part.fitted.node, steps))
    if not document.path_exists(path):
        return None
    if document.shared(path):
        return _behind_alias(reading, document, path)
    if document.style(path) in ("literal", "folded"):
        return _line_end(reading, document, path)
    return document.span(path).end


def _behind_message(reading: Reading, document: Document, path: Path) -> int | None:
    """The offset behind the key of a message in lines, behind the braces of one in flow style, or behind its alias."""
    if not document.path_exists(path):
        return None
    if document.shared(path):
        return _behind_alias(reading, document, path)
    return _line_end(reading, document, path) if document.style(path) == "block" else document.span(path).end


def _behind_alias(reading: Reading, document: Document, path: Path) -> int | None:
    """The offset behind the alias that repeats a value under a key, as in `syncConfig: *daily`; None for a merge."""
    depth = next(depth for depth in range(1, len(path) + 1) if document.shared(path[:depth]))
    key = document.key_span(path[:depth])
    alias = ALIAS.match(reading.source.text, key.end) if key else None
    return alias.end() if alias else None


def _line_end(reading: Reading, document: Document, path: Path) -> int | None:
    """The end of the line of a key, or of the first key of an item of a list."""
    key = document.key_span(path) or document.first_key_span(path)
    line = reading.source.position(key.end).line
    return reading.source.line_starts[line - 1] + len(reading.source.line(line).rstrip())
