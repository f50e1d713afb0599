"""Broken documents: each is repaired where the cause is plain, loses the offending line where not, and is read again.

No repair moves an offset: a value that only lacks quotes is masked by a quoted filler of the same length and keeps its
text, anything else becomes blanks. So the sound parts keep their values and places, and one slip is told once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace

from trialrun.lazy_dataclass import dataclass
from trialrun.parser.compose import Refused
from trialrun.parser.composed import Composed
from trialrun.parser.document import Document, Slice, Trouble
from trialrun.parser.events import YAMLError
from trialrun.parser.incremental import Again, composed_of
from trialrun.parser.limits import MAX_BROKEN, MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES
from trialrun.parser.line_scanner import Lines
from trialrun.parser.nodes import path_at
from trialrun.parser.repair import Slip
from trialrun.parser.syntax_hints import slip_in
from trialrun.parser.yaml import take
from trialrun.text import Span

_marker = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_prologue = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)|%[^\r\n]*(?:\r\n|\n|\r))*\Z")
_blank_lines = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*")
_FEWEST_TRIES = 8
_MOST_TRIES = 64
_CHEAP = 2**20
"""Characters that may be read again without a thought: short documents get more than the fewest tries."""

_LIMITS = {
    "depth": f"nested deeper than {MAX_DEPTH} levels; flatten it",
    "nodes": f"more than {MAX_NODES:,} keys and items in one document; split it",
    "alias bomb": f"aliases that expand to more than {MAX_NODES:,} values; write them out or leave them out",
    "cycle": "an alias inside the value that it names; a value cannot contain itself",
    "documents": f"more than {MAX_DOCUMENTS:,} documents in one file; split it",
}


@dataclass(slots=True)
class _Reading:
    """What has been read of the file so far; `index` is that of the next document."""

    text: str
    documents: list[Document] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    index: int = 0
    at: int = 0

    def add(self, composed: list[Composed], part: Slice) -> None:
        for one in composed:
            take(one, part, self.documents, self.troubles, index=self.index)
            self.index += 1


def recover(text: str, composed: list[Composed], fault: YAMLError | Refused) -> tuple[list[Document], list[Trouble]]:
    """Read a text that is broken after the documents of `composed`, by a fault."""
    reading, known = _Reading(text), None if composed else fault
    if composed and _goes_on(composed[-1], text):
        composed.pop()
    reading.add(composed, Slice(text))
    reading.at = composed[-1].end if composed else 0
    if reading.index >= MAX_DOCUMENTS:
        reading.troubles.append(_limit("documents", Slice(text), reading.index, reading.at))
        return reading.documents, reading.troubles
    for _ in range(MAX_BROKEN):
        end = _document_end(text, reading.at)
        if not _read_broken(reading, end, known if end == len(text) else None) or _read_rest(reading):
            return reading.documents, reading.troubles
        known = None
    message = f"more than {MAX_BROKEN} documents of the file are broken; the rest is not read"
    reading.troubles.append(
        Trouble("resource-limit", message, Span(reading.at, reading.at), reading.index, None),
    )
    return reading.documents, reading.troubles


def _goes_on(last: Composed, text: str) -> bool:
    """Whether a document that is one text was meant to be the first line of what follows it without a marker."""
    if not isinstance(last.value, str):
        return False
    between = _blank_lines.match(text, last.end)
    rest = between.end() if between else last.end
    return next(_markers(text[last.start + 3 : rest + 3], 0), None) is None


def _document_end(text: str, start: int) -> int:
    """Where the document ends that starts at or after an offset: no scalar can hide a marker."""
    for marker in _markers(text, start):
        if marker[0] == "...":
            return marker.end()
        if not _prologue.match(text, start, marker.start()):
            return marker.start()
        following = next(_markers(text, marker.end()), None)
        if following is None:
            return len(text)
        return following.end() if following[0] == "..." else following.start()
    return len(text)


def _markers(text: str, start: int) -> Iterator[re.Match[str]]:
    return _marker.finditer(text, start)


def _read_rest(reading: _Reading) -> bool:
    """Read on behind a broken document; False when another one is broken."""
    rest = Slice(reading.text[reading.at :], reading.at)
    composed, fault = composed_of(rest)
    if fault is not None and composed and _goes_on(composed[-1], rest.text):
        composed.pop()
    room = MAX_DOCUMENTS - reading.index
    reading.add(composed[:room], rest)
    if len(composed) > room:
        reading.troubles.append(_limit("documents", rest, reading.index, composed[room].start))
        return True
    reading.at += composed[-1].end if composed else 0
    return fault is None


def _read_broken(reading: _Reading, end: int, known: YAMLError | Refused | None) -> bool:
    """Repair and read one document, or leave it out; False when the file is refused from here on.

    `known` is what is wrong in it first, where that is known.
    """
    part = Slice(reading.text[reading.at : end], reading.at)
    lines = Lines(part.text)
    again = Again()
    for _ in range(_tries(part.text)):
        composed, fault = again.composed(part) if known is None else ([], known)
        known = None
        if fault is None:
            composed = [] if lines.blanked and _is_empty(composed) else composed
            break
        if isinstance(fault, Refused) and fault.kind in _LIMITS:
            reading.add(composed, part)
            reading.troubles.append(_limit(fault.kind, part, reading.index, fault.event.start_mark.index))
            reading.index += 1
            reading.at = end
            return fault.kind != "documents"
        slip = slip_in(part, lines, fault)
        if slip is None:
            composed = []
            break
        again.changed(part.text, min([slip.start, *slip.overrides]))
        part = _repaired(part, slip)
        if slip.trouble is not None:
            reading.troubles.append(slip.trouble.placed(part, reading.index))
    else:
        composed = []
    reading.add(composed, part)
    if composed:
        _find_tags(reading, part)
    reading.index += not composed
    reading.at = end
    return True


def _find_tags(reading: _Reading, part: Slice) -> None:
    """Give the tags that only a repair made readable the way to their values."""
    document = reading.documents[-1]
    for at, trouble in enumerate(reading.troubles):
        if trouble.rule == "tagged-value" and trouble.guessed and trouble.document == document.index:
            path = path_at(document.root, trouble.span.start - part.offset)
            reading.troubles[at] = replace(trouble, path=path)


def _is_empty(composed: list[Composed]) -> bool:
    """Whether blanking has left nothing of the document."""
    return [one.value for one in composed] == [None]


def _tries(text: str) -> int:
    return max(_FEWEST_TRIES, min(_MOST_TRIES, _CHEAP // (len(text) + 1)))


def _repaired(part: Slice, slip: Slip) -> Slice:
    text = part.text[: slip.start] + slip.filler + part.text[slip.start + len(slip.filler) :]
    return replace(part, text=text, overrides={**part.overrides, **slip.overrides})


def _limit(kind: str, part: Slice, index: int, at: int) -> Trouble:
    start = part.offset + at
    return Trouble("resource-limit", _LIMITS[kind], Span(start, start + (at < len(part.text))), index, None)
