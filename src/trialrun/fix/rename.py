"""Rename: another key, or other characters of it, in place of a key."""

from __future__ import annotations

from trialrun.diagnostic import Rename
from trialrun.fix.replace import with_characters
from trialrun.fix.scalar_style import is_plain, part_of, rendered
from trialrun.fix.target import Target
from trialrun.fix.unfixable import Draft, Refused
from trialrun.text import Edit, Span


def new_key(operation: Rename, old: str) -> str:
    """The key as it will be."""
    return operation.key if operation.chars is None else with_characters(old, operation.chars, operation.key)


def renamed(operation: Rename, target: Target) -> Draft | Refused:
    """The edit that writes another key."""
    if target.key is None or not isinstance(target.path[-1], str):
        return Refused("an item of a list has no key to rename")
    if target.elsewhere:
        return Refused("the key stands elsewhere, at an anchor")
    key = new_key(operation, target.path[-1])
    if key in target.parent:
        return Refused(f'the key "{key}" stands there already')
    return _written(operation, key, target, target.key)


def _written(operation: Rename, key: str, target: Target, span: Span) -> Draft:
    style = target.key_style
    token = rendered(key, style, in_flow=target.in_flow)
    part = part_of(operation.key, style)
    fits = style != "plain" or is_plain(key, in_flow=target.in_flow)
    if operation.chars is not None and part is not None and fits:
        inside = target.document.key_inside(target.path, *operation.chars)
        token = target.text[span.start : inside.start] + part + target.text[inside.end : span.end]
        if inside != span:
            return Draft((Edit(inside, part),), token)
        token = rendered(key, style, in_flow=target.in_flow)
    return Draft((Edit(span, token),), token)
