"""Fixes of the reader itself, which come as plain edits: the trouble goes away, and no worse one comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from trialrun.fix.budget import FixBudget
from trialrun.fix.region import Region, document_region
from trialrun.fix.scalar_fast_path import is_single_line_scalar, parse_scalar
from trialrun.fix.text_lines import splice
from trialrun.fix.unfixable import Unfixable
from trialrun.fix.verify import count_errors
from trialrun.text import Edit, Source

ERROR_REMAINS = Unfixable("the trouble would not go away")
_QUOTABLE = ("ambiguous-scalar", "tagged-value")


def reject_parser_fix(edits: Sequence[Edit], source: Source, index: int, budget: FixBudget) -> Unfixable | None:
    """Why edits that a trouble of the reading asks for do not cure it; None when they do."""
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
    """What is wrong in a part as it is: all that is cured in it is compared with that."""
    return count_errors(region.parse())


def _is_trivial_fix(edit: Edit, text: str) -> bool:
    """Whether a whole scalar of one line, and nothing else, gets quotes or another spelling."""
    if not is_single_line_scalar(text, edit.span.start, edit.span.end, edit.text):
        return False
    before, after = parse_scalar(text[edit.span.start : edit.span.end]), parse_scalar(edit.text)
    if len(before.errors) != 1 or before.errors[0].rule not in _QUOTABLE or after.errors:
        return False
    return len(after.documents) == 1 and not isinstance(after.documents[0].value[0], dict | list)
