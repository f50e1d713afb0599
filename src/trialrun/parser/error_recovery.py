"""Error recovery: a broken document is repaired where the cause is clear, else loses the offending line.

No repair moves an offset: a value that only lacks quotes is masked by a quoted placeholder of the same length and keeps
its text, anything else becomes spaces. So the valid parts keep their values and spans, and one mistake is reported
once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import islice

from trialrun.parser.compose import Unsupported, compose_text
from trialrun.parser.document import ComposedDocument, Document, add_document
from trialrun.parser.events import YAMLError
from trialrun.parser.nodes import MAX_BROKEN, MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES, scalars
from trialrun.parser.parse_error import TEMPLATE, TEMPLATE_LINE, ParseError, SourceSlice
from trialrun.parser.repair import LineScanner, ParserFault, ScannedLine, syntax_error, to_fault
from trialrun.parser.spans import yaml_scalars
from trialrun.parser.syntax_hints import find_repair
from trialrun.text import Span

_marker = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
_prologue = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)|%[^\r\n]*(?:\r\n|\n|\r))*\Z")
_blank_lines = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r))*")
_MIN_ATTEMPTS = 8
_MAX_ATTEMPTS = 64
_ATTEMPT_CHARACTERS = 2**20
"""The characters to parse in all attempts: short documents get more than the fewest attempts."""
_READ_AHEAD = 1024
"""The characters after an opening bracket in which libyaml looks for the colon that would make it a key."""

_LIMIT_MESSAGES = {
    "depth": f"nested deeper than {MAX_DEPTH} levels; flatten it",
    "nodes": f"more than {MAX_NODES:,} keys and items in one document; split it",
    "alias bomb": f"aliases that expand to more than {MAX_NODES:,} values; write them out or leave them out",
    "cycle": "an alias inside the value that it names; a value cannot contain itself",
    "documents": f"more than {MAX_DOCUMENTS:,} documents in one file; split it",
}


@dataclass(slots=True)
class _RecoveryState:
    """What has been parsed of the file so far; `index` is that of the next document."""

    text: str
    documents: list[Document] = field(default_factory=list)
    errors: list[ParseError] = field(default_factory=list)
    index: int = 0
    at: int = 0

    def add(self, composed: list[ComposedDocument], part: SourceSlice) -> None:
        for document in composed:
            add_document(document, part, self.documents, self.errors, index=self.index)
            self.index += 1


def recover(
    text: str, composed: list[ComposedDocument], fault: YAMLError | Unsupported
) -> tuple[list[Document], list[ParseError]]:
    """Parse a text that is broken, by a fault, after the documents of `composed`."""
    state, first_fault = _RecoveryState(text), None if composed else fault
    if composed and _continues(composed[-1], text):
        composed.pop()
    state.add(composed, SourceSlice(text))
    state.at = composed[-1].end if composed else 0
    if state.index >= MAX_DOCUMENTS:
        state.errors.append(_limit_error("documents", SourceSlice(text), state.index, state.at))
        return state.documents, state.errors
    for _ in range(MAX_BROKEN):
        end = _document_end(text, state.at)
        if not _recover_document(state, end, first_fault if end == len(text) else None) or _read_rest(state):
            return state.documents, state.errors
        first_fault = None
    message = f"more than {MAX_BROKEN} documents of the file are broken; the rest is not read"
    state.errors.append(ParseError("resource-limit", message, Span(state.at, state.at), state.index, None))
    return state.documents, state.errors


def _continues(last: ComposedDocument, text: str) -> bool:
    """Whether a document that is one text is rather the first line of what follows it without a marker."""
    if not isinstance(last.value, str):
        return False
    between = _blank_lines.match(text, last.end)
    rest = between.end() if between else last.end
    return next(_marker.finditer(text[last.start + 3 : rest + 3], 0), None) is None


def _document_end(text: str, start: int) -> int:
    """Where the document ends that starts at or after an offset: no scalar can hide a marker."""
    for marker in _marker.finditer(text, start):
        if marker[0] == "...":
            return marker.end()
        if not _prologue.match(text, start, marker.start()):
            return marker.start()
        following = next(_marker.finditer(text, marker.end()), None)
        if following is None:
            return len(text)
        return following.end() if following[0] == "..." else following.start()
    return len(text)


def _read_rest(state: _RecoveryState) -> bool:
    """Parse on after a broken document; False when another one is broken."""
    rest = SourceSlice(state.text[state.at :], state.at)
    composed, fault = compose_text(rest.text)
    if fault is not None and composed and _continues(composed[-1], rest.text):
        composed.pop()
    room = MAX_DOCUMENTS - state.index
    state.add(composed[:room], rest)
    if len(composed) > room:
        state.errors.append(_limit_error("documents", rest, state.index, composed[room].start))
        return True
    state.at += composed[-1].end if composed else 0
    return fault is None


def _recover_document(state: _RecoveryState, end: int, first_fault: YAMLError | Unsupported | None) -> bool:
    """Repair and parse one document, or leave it out; False when the rest of the file is rejected.

    `first_fault` is the first error in it, where that is known.
    """
    part = SourceSlice(state.text[state.at : end], state.at)
    lines = LineScanner(part.text)
    for _ in range(max(_MIN_ATTEMPTS, min(_MAX_ATTEMPTS, _ATTEMPT_CHARACTERS // (len(part.text) + 1)))):
        composed, fault = compose_text(part.text, part.overrides) if first_fault is None else ([], first_fault)
        first_fault = None
        if fault is None:
            composed = [] if lines.blanked and [document.value for document in composed] == [None] else composed
            break
        fault = _own_depth_limit(part.text, fault)
        if isinstance(fault, Unsupported) and fault.kind in _LIMIT_MESSAGES:
            state.add(composed, part)
            state.errors.append(_limit_error(fault.kind, part, state.index, fault.event.start_mark.index))
            state.index += 1
            state.at = end
            return fault.kind != "documents"
        if separator := wrong_separator(part, lines, to_fault(part.text, fault)):
            state.errors.append(separator[1].in_file(part, state.index))
            part, end = replace(part, text=part.text[: separator[0].start]), part.offset + separator[0].end
            lines = LineScanner(part.text)
            continue
        repair = find_repair(part, lines, fault)
        if repair is None:
            composed = []
            break
        if TEMPLATE_LINE.match(part.text, part.text.rfind("\n", 0, repair.start) + 1):
            span = part.to_span(repair.start, repair.start + 2)
            state.errors.append(ParseError("syntax-error", TEMPLATE, span, state.index, None))
            composed = []
            break
        part = repair.apply(part)
        if repair.error is not None:
            state.errors.append(repair.error.in_file(part, state.index))
    else:
        composed = []
    state.add(composed, part)
    if composed:
        _locate_tags(state, part)
    state.index += not composed
    state.at = end
    return True


def _own_depth_limit(text: str, fault: YAMLError | Unsupported) -> YAMLError | Unsupported:
    """The fault, or ours where libyaml stops in nesting that exceeds our limit.

    From 0.2.6 on it has a limit of its own, which it reaches in brackets that it has read ahead, before their events.
    """
    at = to_fault(text, fault).at
    if sum(text.count(bracket, max(0, at - _READ_AHEAD), at) for bracket in "[{") < MAX_DEPTH:
        return fault
    _, before = compose_text(text[:at])
    return before if isinstance(before, Unsupported) and before.kind == "depth" else fault


def _locate_tags(state: _RecoveryState, part: SourceSlice) -> None:
    """Set the paths of the errors about tags that only a repair made readable."""
    document = state.documents[-1]
    for at, error in enumerate(state.errors):
        if error.rule == "tagged-value" and error.guessed and error.document == document.index:
            start = error.span.start - part.offset
            path = next((path for node, path in scalars(document.root) if node.start == start), None)
            state.errors[at] = error._replace(path=path)


def _limit_error(kind: str, part: SourceSlice, index: int, at: int) -> ParseError:
    start = part.offset + at
    return ParseError("resource-limit", _LIMIT_MESSAGES[kind], Span(start, start + (at < len(part.text))), index, None)


_separator = re.compile(
    r"(?!---\s*\Z)[ \t]*(?:-{2,}|(?:-[ \t]+)+-|[\u2010-\u2015\u2212]+|={3,}|\*{3,}|_{3,}|~{3,})[ \t]*\Z"
).match
"""A line that is meant as the one between two documents."""


def wrong_separator(part: SourceSlice, lines: LineScanner, fault: ParserFault) -> tuple[ScannedLine, ParseError] | None:
    """The line before a fault, or at it, that is meant to end a document, if what follows begins one."""
    for line in sorted({lines.line_number(min(at, len(lines.text))) for at in (fault.opening, fault.at)}):
        for number in (line - 1, line):
            entry = lines.scan_line(max(number, 0))
            below = lines.content_after(entry.line)
            content = lines.text[entry.start : entry.end]
            begins = below is not None and below.key is not None and not below.indent
            if begins and _separator(content) and not lines.is_in_block_text(entry.line):
                return entry, _not_a_separator(content.strip(), entry.start, len(content) - len(content.lstrip()))
    return None


def _not_a_separator(marker: str, line: int, indent: int) -> ParseError:
    message = f"{marker} does not separate documents; write --- at the beginning of the line"
    span = Span(line + indent, line + indent + len(marker))
    return syntax_error(message, *span, "---")._replace(replaced=Span(line, span.end))


_indented_marker = re.compile(r"^[ \t]+-{3,}[ \t]*$(?=\s+[A-Za-z_]\w*:)", re.MULTILINE)


def with_separators(text: str, documents: list[Document], errors: list[ParseError]) -> tuple[str, list[ParseError]]:
    """The text with its indented `---` as separators, where a key at the left is repeated after one, and the errors."""
    repeated = [error for error in errors if error.rule == "duplicate-key" and len(error.path or ()) == 1]
    parts = [document.source_slice for document in documents] if repeated else []
    quoted = [
        part.to_span(node.start, node.end) for part in parts for node in yaml_scalars(part) if node.style != "plain"
    ]
    found = []
    for match in islice(_indented_marker.finditer(text), MAX_BROKEN) if repeated else ():
        start, end = match.span()
        if any(span.start < start < span.end for span in quoted):
            continue
        if any(error.related[0].start < start < error.span.start for error in repeated if error.related):
            text = f"{text[:start]}{'---':{end - start}}{text[end:]}"
            marker = match[0].strip()
            found.append(_not_a_separator(marker, start, match[0].index(marker)))
    return text, found
