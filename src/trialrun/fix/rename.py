"""Rename: replaces a key, or some of its characters."""

from __future__ import annotations

from trialrun.diagnostic import Rename
from trialrun.fix.replace import replace_characters
from trialrun.fix.scalar_style import can_be_plain, render_fragment, render_scalar
from trialrun.fix.target import Target
from trialrun.fix.unfixable import EditDraft, Unfixable
from trialrun.text import Edit, Span


def new_key(operation: Rename, old: str) -> str:
    """The new key."""
    return operation.key if operation.chars is None else replace_characters(old, operation.chars, operation.key)


def rename_key(operation: Rename, target: Target) -> EditDraft | Unfixable:
    """The edit that replaces a key."""
    if target.key is None or not isinstance(target.path[-1], str):
        return Unfixable("an item of a list has no key to rename")
    if target.is_aliased:
        return Unfixable("the key is defined elsewhere, at an anchor")
    key = new_key(operation, target.path[-1])
    if key in target.parent:
        return Unfixable(f'the key "{key}" already exists')
    return _key_edit(operation, key, target, target.key)


def _key_edit(operation: Rename, key: str, target: Target, span: Span) -> EditDraft:
    style = target.key_style
    token = render_scalar(key, style, in_flow=target.in_flow)
    fragment = render_fragment(operation.key, style)
    fits = style != "plain" or can_be_plain(key, in_flow=target.in_flow)
    if operation.chars is not None and fragment is not None and fits:
        chars_span = target.document.key_text_span(target.path, *operation.chars)
        token = target.text[span.start : chars_span.start] + fragment + target.text[chars_span.end : span.end]
        if chars_span != span:
            return EditDraft((Edit(chars_span, fragment),), token)
        token = render_scalar(key, style, in_flow=target.in_flow)
    return EditDraft((Edit(span, token),), token)
