"""The proof of a fix: its edits are made and read again, and only what it means to change has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trialrun.diagnostic import Remove
from trialrun.fix.budget import FixBudget
from trialrun.fix.expected_value import apply_to_value, are_equal
from trialrun.fix.operation import PendingOperation
from trialrun.fix.region import Region, document_region, entry_region, region_value
from trialrun.fix.scalar_fast_path import is_trivially_safe
from trialrun.fix.text_lines import splice
from trialrun.fix.unfixable import Unfixable
from trialrun.parser import Document, ParsedFile
from trialrun.text import Edit, Source

NEW_PARSE_ERRORS = Unfixable("the rest of the file would change")
UNINTENDED_CHANGE = Unfixable("more would change than intended")
CHANGES_ALIASES = Unfixable("other places would change with it, through an alias")


def verify_edits(
    operations: Sequence[PendingOperation], edits: Sequence[Edit], source: Source, document: Document, budget: FixBudget
) -> Unfixable | None:
    """Why the edits do not do what the operations mean; None when they do."""
    document_text = document_region(source, document.span(()).start, document.index)
    removes_several = len(operations) > 1 and any(isinstance(step.operation, Remove) for step in operations)
    is_apart = not document_text.has_anchors or all(document.is_alias_free(step.path) for step in operations)
    if is_apart and not removes_several and all(is_trivially_safe(step, source.text) for step in operations):
        return None
    if document_text.has_anchors:
        unfixable = _verify_in(document_text, operations, edits, document, budget)
        return CHANGES_ALIASES if unfixable is UNINTENDED_CHANGE else unfixable
    entry_text = entry_region(source, document, [step.path for step in operations])
    if entry_text is not None and _verify_in(entry_text, operations, edits, document, budget) is None:
        return None
    return _verify_in(document_text, operations, edits, document, budget)


def _verify_in(
    region: Region, operations: Sequence[PendingOperation], edits: Sequence[Edit], document: Document, budget: FixBudget
) -> Unfixable | None:
    """The same, of the part that is read again."""
    if unfixable := budget.spend(len(region.text)):
        return unfixable
    after = region.parse(splice(region.text, edits, region.offset))
    depth = len(region.parent_path)
    expected = apply_to_value(
        region_value(region, document), [(step.operation, step.path[depth:]) for step in operations]
    )
    values = [document.value for document in after.documents]
    expected_values = [None] * len(values)
    if after.errors or len(values) != 1:
        before = region.parse()
        if count_errors(after) - count_errors(before):
            return NEW_PARSE_ERRORS
        expected_values = [document.value for document in before.documents]
    if region.document >= len(expected_values):
        return NEW_PARSE_ERRORS
    expected_values[region.document] = region.wrap_value(expected)
    return None if are_equal(values, expected_values) else UNINTENDED_CHANGE


def count_errors(tree: ParsedFile) -> Counter[str]:
    """The number of parse errors of a text by rule."""
    return Counter(error.rule for error in tree.errors)
