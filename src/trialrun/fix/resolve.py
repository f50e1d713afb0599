"""A fix of symbolic operations into text edits: each operation by its own module, then all of them proven together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from trialrun.diagnostic import (
    Fix,
    Lift,
    Operation,
    Path,
    Place,
    Range,
    Remove,
    Rename,
    Replace,
    TextEdit,
    TextFix,
    Wrap,
)
from trialrun.fix.budget import Effort
from trialrun.fix.lift import lifted
from trialrun.fix.operation import Step
from trialrun.fix.parser_fix import refusal_of_cure
from trialrun.fix.removal_safety import Errors, refusal_of_removal, takes_comment
from trialrun.fix.remove import removed
from trialrun.fix.rename import renamed
from trialrun.fix.replace import replaced
from trialrun.fix.target import Target
from trialrun.fix.text_lines import line_start, touch
from trialrun.fix.unfixable import Draft, Refused
from trialrun.fix.verify import refusal_of
from trialrun.fix.wrap import wrapped
from trialrun.parser import Document
from trialrun.text import Edit, Source

SHORT = 500
"""Characters of a scalar that cost nothing to speak of, when some of them are replaced."""

FindPath = Callable[[Place], Path]


def text_fix(
    fix: Fix,
    *,
    source: Source,
    document: Document | None,
    find_path: FindPath,
    verify: bool = True,
    effort: Effort | None = None,
    errors: Errors | None = None,
) -> TextFix | Refused:
    """The text edits of a fix, or the reason why it is not offered here.

    With `verify`, the edits are made and read again: a fix that would change more or something else is refused.
    `effort` is what is left for that in this file, and `errors` are those that speak against a removal. A fix that
    takes a comment along is unsafe: what a person wrote there may matter to somebody.
    """
    effort = effort or Effort()
    steps: list[Step] = []
    edits = [operation for operation in fix.operations if isinstance(operation, Edit)]
    for operation in fix.operations:
        if isinstance(operation, Edit):
            continue
        made = _step(operation, source, document, find_path, effort)
        if isinstance(made, Refused):
            return made
        if errors and isinstance(operation, Remove) and (doubt := refusal_of_removal(made.target, errors)):
            return doubt
        steps.append(made)
        edits.extend(made.draft.edits)
    edits.sort(key=lambda edit: edit.span)
    refused = _refusal(fix, steps, edits, source, document, effort) if verify else _clash(edits)
    if refused:
        return refused
    title, safe = fix.title, fix.safe
    if safe and document is not None and steps and takes_comment(edits, source, document):
        title, safe = f"{title} and the comment beside it", False
    return TextFix(title, safe, tuple(_text_edit(edit, source) for edit in edits))


def _step(
    operation: Operation, source: Source, document: Document | None, find_path: FindPath, effort: Effort
) -> Step | Refused:
    if document is None:
        return Refused("there is no document to mend")
    path = find_path(operation.place)
    if not document.path_exists(path):
        return Refused("nothing stands there")
    target = Target(source.text, document, path)
    if refused := effort.spend(_looked_at(operation, target)):
        return refused
    draft = _draft(operation, target)
    return draft if isinstance(draft, Refused) else Step(operation, path, target, draft)


def _looked_at(operation: Operation, target: Target) -> int:
    """How many characters are looked at to find the edits: without its dash beside it, an item is counted."""
    match operation:
        case Remove():
            if target.key or not target.path or _is_beside_its_dash(target):
                return 0
            around = target.document.span(target.path[:-1])
        case Wrap() | Lift():
            around = target.span
        case Replace(chars=None) | Rename(chars=None):
            return 0
        case _:
            around = target.key if isinstance(operation, Rename) and target.key else target.span
            return around.end - around.start if around.end - around.start > SHORT else 0
    return around.end - around.start


def _is_beside_its_dash(target: Target) -> bool:
    first = line_start(target.text, target.span.start)
    return target.in_flow or target.text[first : target.span.start].endswith("- ")


def _draft(operation: Operation, target: Target) -> Draft | Refused:
    match operation:
        case Replace():
            return replaced(operation, target)
        case Rename():
            return renamed(operation, target)
        case Remove():
            return removed(target)
        case Wrap():
            return wrapped(target)
        case Lift():
            return lifted(target)


def _refusal(
    fix: Fix,
    steps: Sequence[Step],
    edits: Sequence[Edit],
    source: Source,
    document: Document | None,
    effort: Effort,
) -> Refused | None:
    if not edits:
        return Refused("the fix changes nothing")
    if clash := _clash(edits):
        return clash
    if document is None or len(steps) < len(fix.operations):
        return refusal_of_cure(edits, source, document.index if document else 0, effort)
    return refusal_of(steps, edits, source, document, effort)


def _clash(edits: Sequence[Edit]) -> Refused | None:
    if any(touch(one, other) for one, other in pairwise(edits)):
        return Refused("two of its changes meet at one place")
    return None


def _text_edit(edit: Edit, source: Source) -> TextEdit:
    return TextEdit(Range(source.position(edit.span.start), source.position(edit.span.end)), edit.text)
