"""Warnings about U+0085, U+2028 and U+2029, which are characters of YAML 1.2 and line breaks of YAML 1.1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.parser.comments import comments
from trialrun.parser.document import ParsedFile
from trialrun.parser.nodes import Node, NodeRef, Path
from trialrun.parser.parse_error import ParseError
from trialrun.parser.scalars import quote
from trialrun.text import Span

BREAKS = re.compile("[\u0085\u2028\u2029]")
_header_comment = re.compile(r"[|>][^\n\r]*#").match


def line_break_warnings(tree: ParsedFile) -> Iterator[ParseError]:
    """One warning for each scalar and each comment of a YAML file with such a character, at the first one.

    The fix writes the escape, and quotes where it needs them: then every reader reads the value that is read here.
    """
    if not BREAKS.search(tree.source.text):
        return
    for document in tree.documents:
        part = document.source_slice
        for node, path, at_key in _scalars(document.root) if BREAKS.search(part.text) else ():
            source = part.text[node.start : node.end]
            if BREAKS.search(source):
                yield _warning(source, node.start, _rewritten(node, source), path, at_key).in_file(part, document.index)
    for span in (comment.span for comment in comments(tree, BREAKS)):
        holder, source = tree.document_at(span.start), tree.source.text[span.start : span.end]
        if BREAKS.search(source):
            yield _warning(source, span.start, _escaped(source), None, False, holder.index if holder else 0)


def _scalars(root: NodeRef) -> Iterator[tuple[Node, Path, bool]]:
    """The scalars of a document, each with its path and whether it is a key."""
    waiting: list[tuple[NodeRef, Path]] = [(root, ())]
    while waiting:
        child, path = waiting.pop()
        if child.key is not None and not child.is_merged:
            yield child.key, path, True
        if not child.is_aliased:
            node = child.node
            yield from ((node, path, False),) if node.text is not None else ()
            waiting.extend((inner, (*path, key)) for key, inner in (node.keys or {}).items())
            waiting.extend((inner, (*path, index)) for index, inner in enumerate(node.items or ()))


def _warning(
    source: str, start: int, new: str | None, path: Path | None, at_key: bool, document: int = 0
) -> ParseError:
    found = next(BREAKS.finditer(source))
    where = "" if path is None else " in double quotes"
    message = (
        f"U+{ord(found[0]):04X} is a line break to YAML 1.1 readers, which refuse the file or read another text; "
        f"write {_escaped(found[0])}{where}"
    )
    span, replaced = Span(start + found.start(), start + found.end()), Span(start, start + len(source))
    return ParseError("ambiguous-scalar", message, span, document, path, at_key, (), new, True, replaced=replaced)


def _rewritten(node: Node, source: str) -> str | None:
    """The scalar with escapes; None where a comment, or what is no scalar of YAML, is in the way."""
    if node.is_raw or _header_comment(source) or re.search(rf"\\{BREAKS.pattern}", source):
        return None
    return _escaped(source) if node.style in ("double", "json") else quote(node.text or "")


def _escaped(source: str) -> str:
    return BREAKS.sub(lambda match: f"\\u{ord(match[0]):04x}", source)
