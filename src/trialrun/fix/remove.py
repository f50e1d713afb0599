"""Remove: a key with its value, or an item of a list, from blocks and from between brackets."""

from __future__ import annotations

import re

from trialrun.fix.flow import removed_from_flow
from trialrun.fix.lines import BLANK_LINES, line_start, next_line, rest_is_blank
from trialrun.fix.refusal import Draft, Refused
from trialrun.fix.target import Target
from trialrun.text import Edit, Span

_dashes = re.compile(r" *(?:- +)+\Z").match
_blank_lines = re.compile(BLANK_LINES + " *").match
_anchor = re.compile(r"&(?<![^\s\[{,:]&)([^\s,\[\]{}&]+)")
INVOLVED = Refused("its layout is too involved to be removed by a machine")


def removed(target: Target) -> Draft | Refused:
    """The edits that take away an entry of a mapping or an item of a list."""
    if not target.path:
        return Refused("a whole document is not removed")
    if target.elsewhere:
        return Refused("it stands elsewhere, at an anchor")
    parent = target.document.span(target.path[:-1])
    if target.document.style(target.path[:-1]) == "block":
        draft = _from_block(target, parent)
    else:
        draft = removed_from_flow(target, parent) or INVOLVED
    if isinstance(draft, Draft) and (name := _needed_anchor(target.text, draft)):
        return Refused(f"the anchor &{name} in it is named elsewhere")
    return draft


def _from_block(target: Target, parent: Span) -> Draft | Refused:
    text = target.text
    start = target.key.start if target.key else _dash(target, parent)
    end = None if start is None else target.end_from(start)
    last = None if end is None else rest_is_blank(text, end)
    if start is None or end is None or last is None:
        return INVOLVED
    first = line_start(text, start)
    if start == parent.start and end >= parent.end:
        return Draft((_emptied(target, parent, last.end()),))
    if not text[first:start].strip(" "):
        return Draft((Edit(Span(first, next_line(text, last.end())), ""),))
    if not _dashes(text[first:start]):
        return INVOLVED
    return _beside_a_dash(text, start, last.end())


def _dash(target: Target, parent: Span) -> int | None:
    """Where the dash of a list item stands: all dashes of a block list are in one column."""
    text, path, at = target.text, target.path[:-1], parent.start
    index = target.path[-1]
    column = at - line_start(text, at)
    below = re.compile(f"(?:(?<=[\r\n])|\\A) {{{column}}}-(?=[ \t\r\n]|\\Z)")
    for before in range(index if isinstance(index, int) else 0):
        shared = target.document.shared((*path, before))
        searched = at + 1 if shared else max(at + 1, target.document.span((*path, before)).end)
        match = below.search(text, searched, max(parent.end, searched))
        if match is None:
            return None
        at = match.end() - 1
    return at if text[at : at + 1] == "-" else None


def _emptied(target: Target, parent: Span, last: int) -> Edit:
    """An empty collection in place of one that loses its only entry, so that it does not turn into null."""
    empty = "[]" if target.key is None else "{}"
    text, above = target.text, target.path[:-1]
    at = parent.start
    while at and text[at - 1] in " \t\r\n":
        at -= 1
    key = target.document.key_span(above)
    lead = text[key.end : at].strip() if key else text[line_start(text, at) : at].strip(" ")
    beside = lead == (":" if key else "-") and line_start(text, parent.start) > at
    return Edit(Span(at, last), " " + empty) if above and beside else Edit(Span(parent.start, last), empty)


def _beside_a_dash(text: str, start: int, last: int) -> Draft | Refused:
    """The next entry moves up beside the dash; where comments stand between, the dash keeps its line alone."""
    between = _blank_lines(text, last)
    following = between.end() if between else last
    if following - line_start(text, following) != start - line_start(text, start):
        return INVOLVED
    if "#" not in text[last:following]:
        return Draft((Edit(Span(start, following), ""),))
    return Draft((Edit(Span(len(text[:start].rstrip(" ")), last), ""),))


def _needed_anchor(text: str, draft: Draft) -> str | None:
    """The name of an anchor in the removed text that an alias outside of it names."""
    for edit in draft.edits:
        for anchor in _anchor.finditer(text, edit.span.start, edit.span.end):
            alias = re.compile(rf"\*{re.escape(anchor[1])}(?![^\s,\[\]{{}}])")
            outside = alias.search(text, edit.span.end)
            if outside is not None:
                return anchor[1]
    return None
