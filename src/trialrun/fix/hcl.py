"""The edits of fixes in Terraform files: values, names of labels, arguments, blocks and items of lists.

What is written stays as it is around them: numbers in quotes keep these. Whether an edit means what it should is found
by reading the file again, as in all formats (`fix/region.py`).
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from trialrun.diagnostic import Operation, Remove, Rename, Replace
from trialrun.fix.remove import HAS_SUPPRESSION, LAYOUT_TOO_COMPLEX
from trialrun.fix.replace import NOT_TEXT, new_key, replace_characters
from trialrun.fix.target import EditDraft, Target, Unfixable, line_start, next_line
from trialrun.text import Edit, Span

DEFINED_ELSEWHERE = Unfixable("the value is defined elsewhere; correct it there")
HEREDOC = Unfixable("a heredoc is edited by hand")
PARTLY_UNKNOWN = Unfixable("a part of the value is known to Terraform alone")
OF_PROVIDER = Unfixable("the provider of Terraform has no such argument")
NOT_RESTRUCTURED = Unfixable("Terraform files are not restructured")

_identifier = re.compile(r"[A-Za-z_][-0-9A-Za-z_]*\Z").match
_sequence = re.compile(r"(?<!\$)\$\{|(?<!%)%\{").search
_control = re.compile(r"[\x00-\x1f\x7f]")
_rest_of_line = re.compile(r"[ \t]*,?[ \t]*(?:(?:#|//)[^\r\n]*)?(?=[\r\n]|\Z)").match
_comma_after = re.compile(r"[ \t]*,[ \t]*").match
_comma_before = re.compile(r",[ \t]*\Z").search
_comment_line = re.compile(r"[ \t]*(?:#|//)([^\r\n]*)").match
_suppression = re.compile(r"trialrun[ \t]*:[ \t]*ignore", re.IGNORECASE).search
_ESCAPED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def hcl_edits(operation: Operation, target: Target) -> EditDraft | Unfixable:
    """The edits of an operation in a file of HCL, or why there are none."""
    if target.is_aliased or target.child.is_aliased:
        return DEFINED_ELSEWHERE
    match operation:
        case Replace():
            return _replace(operation, target)
        case Rename():
            return _rename(operation, target)
        case Remove():
            return _remove(target)
    return NOT_RESTRUCTURED


def _replace(operation: Replace, target: Target) -> EditDraft | Unfixable:
    """Replace a scalar, or some of its characters."""
    written, value = target.text[target.span.start : target.span.end], operation.value
    if written.startswith("<<"):
        return HEREDOC
    if operation.source is not None or (isinstance(target.value, dict | list) and target.value):
        return NOT_RESTRUCTURED
    if operation.chars is not None:
        if not isinstance(target.value, str) or not isinstance(value, str):
            return NOT_TEXT
        span = target.document.scalar_span(target.path, *operation.chars)
        if written.startswith('"') and span != target.span:
            return EditDraft((Edit(span, _escape(value)),))
        value = replace_characters(target.value, operation.chars, value)
    if _sequence(written):
        return PARTLY_UNKNOWN
    return EditDraft((Edit(target.span, _render(value, in_quotes=written.startswith('"'))),))


def _render(value: Any, *, in_quotes: bool) -> str:
    """A value as it is written in HCL; what was in quotes stays in quotes."""
    if isinstance(value, str):
        return f'"{_escape(value)}"'
    return f'"{json.dumps(value)}"' if in_quotes and isinstance(value, int | float) else json.dumps(value)


def _escape(text: str) -> str:
    """A text as it is written between quotes."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("${", "$${").replace("%{", "%%{")
    return _control.sub(lambda match: _ESCAPED.get(match[0], f"\\u{ord(match[0]):04x}"), text)


def _rename(operation: Rename, target: Target) -> EditDraft | Unfixable:
    """Replace the name of a label; arguments have the names that the provider gives them."""
    old = target.path[-1]
    if target.key is None or not isinstance(old, str):
        return LAYOUT_TOO_COMPLEX
    written = target.text[target.key.start : target.key.end]
    if written.strip('"') != old or len(target.path) < 2:
        return OF_PROVIDER
    key = new_key(operation, old)
    if key in target.parent:
        return Unfixable(f'the key "{key}" already exists')
    is_bare = not written.startswith('"') and _identifier(key)
    return EditDraft((Edit(target.key, key if is_bare else f'"{_escape(key)}"'),))


def _remove(target: Target) -> EditDraft | Unfixable:
    """Remove an argument or a block with its lines and the comment above it, or an item of a list."""
    text = target.text
    if not target.path:
        return LAYOUT_TOO_COMPLEX
    start = target.key.start if target.key else target.span.start
    end = max(target.span.end, target.key.end if target.key else 0)
    first, rest = line_start(text, start), _rest_of_line(text, end)
    if rest is None or text[first:start].strip(" \t"):
        return _remove_within_line(text, start, end)
    above = first
    while above:
        line = line_start(text, above - (2 if text.endswith("\r\n", 0, above) else 1))
        comment = _comment_line(text, line)
        if comment is None:
            break
        if _suppression(comment[1]):
            return HAS_SUPPRESSION
        above = line
    last = next_line(text, rest.end())
    is_block = text[target.span.start : target.span.end].endswith("}") and text[target.span.start] != "{"
    return EditDraft((Edit(Span(above if is_block else first, last), ""),))


def _remove_within_line(text: str, start: int, end: int) -> EditDraft | Unfixable:
    """Remove an entry that shares its line, with one comma."""
    if after := _comma_after(text, end):
        return EditDraft((Edit(Span(start, after.end()), ""),))
    first = line_start(text, start)
    if before := _comma_before(text[first:start]):
        return EditDraft((Edit(Span(first + before.start(), end), ""),))
    if text[start - 1 : start] == "[" and text[end : end + 1] == "]":
        return EditDraft((Edit(Span(start, end), ""),))
    return LAYOUT_TOO_COMPLEX
