"""Resolves a fix to text edits: each operation by its own module, then all are verified together; and applies fixes."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from trialrun.diagnostic import (
    Fix,
    Lift,
    Operation,
    Path,
    Range,
    Remove,
    Rename,
    Replace,
    ResolvedFix,
    SymbolicLocation,
    TextEdit,
    WrapInList,
)
from trialrun.fix.canonical_yaml import can_be_plain, quote
from trialrun.fix.expected_value import is_single_line_scalar, parse_scalar
from trialrun.fix.region import Region, count_errors, document_region, verify_edits
from trialrun.fix.removal_safety import FixBudget, RemovalErrors, deletes_comment, reject_removal
from trialrun.fix.remove import remove_entry
from trialrun.fix.replace import header_comment, lift_contents, rename_key, replace_scalar
from trialrun.fix.target import (
    EditDraft,
    PendingOperation,
    Target,
    Unfixable,
    line_end,
    line_start,
    next_line,
    overlap,
    splice,
)
from trialrun.parser import Document, parse
from trialrun.terraform import Unknown
from trialrun.text import Edit, Source, Span


def wrap_in_list(target: Target) -> EditDraft | Unfixable:
    """The edits that make a value the only item of a list."""
    if target.is_aliased or target.child.is_aliased:
        return Unfixable("the value is defined elsewhere, at an anchor")
    if target.span.start == target.span.end:
        return Unfixable("there is no value to wrap")
    if target.style == "block":
        return EditDraft(tuple(_indent(target.text, target.span)))
    if target.style in ("literal", "folded"):
        return _one_line(target)
    if target.style == "plain" and isinstance(target.value, str) and not can_be_plain(target.value, in_flow=True):
        return EditDraft((Edit(target.span, f"[{quote(target.value)}]"),))
    start, end = target.span.start, target.span.end
    return EditDraft((Edit(Span(start, start), "["), Edit(Span(end, end), "]")))


def _one_line(target: Target) -> EditDraft | Unfixable:
    if "\n" in target.value.rstrip("\n"):
        return Unfixable("text of several lines cannot be put in brackets")
    comment = header_comment(target)
    return EditDraft((Edit(target.span, f"[{quote(target.value)}]" + (f"  {comment}" if comment else "")),))


def _indent(text: str, span: Span) -> Iterator[Edit]:
    """A dash before a block collection, and its further lines two columns deeper."""
    yield Edit(Span(span.start, span.start), "- ")
    offset = next_line(text, span.start)
    while offset < span.end:
        if line_end(text, offset) > offset:
            yield Edit(Span(offset, offset), "  ")
        offset = next_line(text, offset)


MAX_FREE_LENGTH = 500
"""Characters of a scalar that are replaced without charging the budget."""

FindPath = Callable[[SymbolicLocation], Path]


def resolve_fix(
    fix: Fix,
    *,
    source: Source,
    document: Document | None,
    find_path: FindPath,
    verify: bool = True,
    budget: FixBudget | None = None,
    errors: RemovalErrors | None = None,
) -> ResolvedFix | Unfixable:
    """The text edits of a fix, or the reason why it is refused.

    With `verify`, the edited text is parsed again: a fix that would change more or something else is refused. `budget`
    is what is left for that in this file; `errors` are those that make a removal doubtful. A fix that deletes a comment
    is unsafe.
    """
    budget = budget or FixBudget()
    pending: list[PendingOperation] = []
    edits = [operation for operation in fix.operations if isinstance(operation, Edit)]
    for operation in fix.operations:
        if isinstance(operation, Edit):
            continue
        resolved = _resolve_operation(operation, source, document, find_path, budget)
        if isinstance(resolved, Unfixable):
            return resolved
        if errors and isinstance(operation, Remove) and (unfixable := reject_removal(resolved.target, errors)):
            return unfixable
        pending.append(resolved)
        edits.extend(resolved.draft.edits)
    edits.sort(key=lambda edit: edit.span)
    refused = _reject_edits(fix, pending, edits, source, document, budget) if verify else _reject_overlaps(edits)
    if refused:
        return refused
    title, safe = fix.title, fix.safe
    if safe and document is not None and pending and deletes_comment(edits, source, document):
        title, safe = f"{title} and its comment", False
    return ResolvedFix(
        title,
        safe,
        tuple(
            TextEdit(Range(source.position(edit.span.start), source.position(edit.span.end)), edit.text)
            for edit in edits
        ),
    )


def _resolve_operation(
    operation: Operation, source: Source, document: Document | None, find_path: FindPath, budget: FixBudget
) -> PendingOperation | Unfixable:
    if document is None:
        return Unfixable("there is no document to fix")
    path = find_path(operation.location)
    if not document.path_exists(path):
        return Unfixable("nothing is at this path")
    if _is_conditional(document, path):
        return Unfixable("whether it exists is known to Terraform alone")
    target = Target(source.text, document, path)
    if unfixable := budget.spend(_scanned_length(operation, target)):
        return unfixable
    draft = _draft_edits(operation, target)
    return draft if isinstance(draft, Unfixable) else PendingOperation(operation, path, target, draft)


def _is_conditional(document: Document, path: Path) -> bool:
    """Whether a value on the path to another is in a block that Terraform may leave out."""
    value = document.value
    for step in path:
        if isinstance(value, Unknown):
            return True
        value = value[step]
    return False


def _scanned_length(operation: Operation, target: Target) -> int:
    """The number of characters that are scanned to find the edits, such as those of the items before one."""
    match operation:
        case Remove():
            first = line_start(target.text, target.span.start)
            is_beside_its_dash = target.in_flow or target.text[first : target.span.start].endswith("- ")
            if target.key or not target.path or is_beside_its_dash:
                return 0
            span = target.document.span(target.path[:-1])
        case WrapInList() | Lift():
            span = target.span
        case Replace(chars=None) | Rename(chars=None):
            return 0
        case _:
            span = target.key if isinstance(operation, Rename) and target.key else target.span
            return span.end - span.start if span.end - span.start > MAX_FREE_LENGTH else 0
    return span.end - span.start


def _draft_edits(operation: Operation, target: Target) -> EditDraft | Unfixable:
    if target.document.root.node.style == "hcl":
        from trialrun.fix.hcl import hcl_edits

        return hcl_edits(operation, target)
    match operation:
        case Replace():
            return replace_scalar(operation, target)
        case Rename():
            return rename_key(operation, target)
        case Remove():
            return remove_entry(target)
        case WrapInList():
            return wrap_in_list(target)
        case Lift():
            return lift_contents(target)


def _reject_edits(
    fix: Fix,
    pending: Sequence[PendingOperation],
    edits: Sequence[Edit],
    source: Source,
    document: Document | None,
    budget: FixBudget,
) -> Unfixable | None:
    if not edits:
        return Unfixable("the fix changes nothing")
    if unfixable := _reject_overlaps(edits):
        return unfixable
    if document is None or len(pending) < len(fix.operations):
        return reject_parser_fix(edits, source, document.index if document else 0, budget)
    return verify_edits(pending, edits, source, document, budget)


def _reject_overlaps(edits: Sequence[Edit]) -> Unfixable | None:
    if any(overlap(edit, following) for edit, following in pairwise(edits)):
        return Unfixable("two of its changes overlap")
    return None


ERROR_REMAINS = Unfixable("the error would remain")


_QUOTABLE = ("ambiguous-scalar", "tagged-value")


def reject_parser_fix(edits: Sequence[Edit], source: Source, index: int, budget: FixBudget) -> Unfixable | None:
    """The reason why the edits do not fix a parse error, or None if they do."""
    if all(_is_trivial_fix(edit, source.text) for edit in edits):
        return None
    region = document_region(source, edits[0].span.start, index)
    if edits[-1].span.end > region.offset + len(region.text):
        return ERROR_REMAINS
    if unfixable := budget.spend(2 * len(region.text)):
        return unfixable
    before, after = _errors_before(region), count_errors(region.parse(splice(region.text, edits, region.offset)))
    if after["syntax-error"] > before["syntax-error"] or not before - after:
        return ERROR_REMAINS
    return None


@lru_cache(maxsize=1)
def _errors_before(region: Region) -> Counter[str]:
    """The parse errors of a part before the fix, for comparison."""
    return count_errors(region.parse())


def _is_trivial_fix(edit: Edit, text: str) -> bool:
    """Whether an edit only quotes or respells one single-line scalar."""
    if not is_single_line_scalar(text, edit.span.start, edit.span.end, edit.text):
        return False
    before, after = parse_scalar(text[edit.span.start : edit.span.end]), parse_scalar(edit.text)
    if len(before.errors) != 1 or before.errors[0].rule not in _QUOTABLE or after.errors:
        return False
    return len(after.documents) == 1 and not isinstance(after.documents[0].value[0], dict | list)


Change = tuple[int, Sequence[Edit]]
"""The index of a fix in the given order, and its edits."""


def apply_fixes(source: Source, fixes: Iterable[ResolvedFix]) -> tuple[str, list[int]]:
    """The text with the fixes applied, and the indexes of these; of fixes that overlap, only the first.

    Two fixes may each be valid but not together, for example if each removes one of the last two keys of a mapping. The
    later one is left for another round.
    """
    edits = (
        [Edit(Span(source.offset(edit.range.start), source.offset(edit.range.end)), edit.text) for edit in fix.edits]
        for fix in fixes
    )
    changes = list(_without_overlaps(enumerate(edits)))
    if len(changes) > 1:
        changes = _without_new_errors(source, changes, _count_errors(source.text, source.path), [])
    return _apply_changes(source, changes), [number for number, _ in changes]


def fixed_text(source: Source, fixes: Iterable[ResolvedFix]) -> str:
    """The text after `apply_fixes`."""
    return apply_fixes(source, fixes)[0]


def _without_overlaps(changes: Iterable[Change]) -> Iterator[Change]:
    """The fixes that do not overlap with earlier ones; a fix is applied completely or not at all."""
    taken: list[Edit] = []
    for number, edits in changes:
        if not any(overlap(edit, neighbor) for edit in edits for neighbor in _neighbors(edit, taken)):
            yield number, edits
            for edit in edits:
                taken.insert(bisect_left(taken, edit.span, key=lambda edit: edit.span), edit)


def _neighbors(edit: Edit, taken: list[Edit]) -> list[Edit]:
    """The accepted edits that may overlap with an edit; these are sorted and do not overlap each other."""
    first = bisect_left(taken, Span(edit.span.start, -1), key=lambda edit: edit.span)
    last = bisect_left(taken, Span(max(edit.span.end, edit.span.start + 1), -1), key=lambda edit: edit.span)
    return taken[max(0, first - 1) : last]


def _apply_changes(source: Source, changes: Iterable[Change]) -> str:
    edits = (edit for _, own in changes for edit in own)
    return splice(source.text, sorted(edits, key=lambda edit: edit.span))


def _without_new_errors(
    source: Source, changes: list[Change], known_errors: Counter[str], accepted: list[Change]
) -> list[Change]:
    """The accepted fixes and those of `changes` that cause no new errors, found by bisection."""
    if not _count_errors(_apply_changes(source, [*accepted, *changes]), source.path) - known_errors:
        return [*accepted, *changes]
    if len(changes) == 1:
        return accepted
    half = len(changes) // 2
    return _without_new_errors(
        source, changes[half:], known_errors, _without_new_errors(source, changes[:half], known_errors, accepted)
    )


def _count_errors(text: str, path: str) -> Counter[str]:
    """The number of parse errors by rule, and of nulls by key."""
    parsed = parse(text.encode("utf-8", "replace"), path)
    errors = Counter(error.rule for error in parsed.errors)
    for document in parsed.documents:
        errors.update(_nulls(document.value))
    return errors


def _nulls(value: Any) -> Iterator[str]:
    """The key of every null, with a prefix that no rule id has; for an item the key of its list."""
    waiting = [("", value)]
    while waiting:
        key, node = waiting.pop()
        if node is None:
            yield f"null at {key}"
        elif isinstance(node, dict):
            waiting.extend(node.items())
        elif isinstance(node, list):
            waiting.extend((key, item) for item in node)
