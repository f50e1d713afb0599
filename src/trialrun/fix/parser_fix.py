"""Fixes of the reader itself, which come as plain edits: the trouble goes away, and no worse one comes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from trialrun.fix.budget import Effort
from trialrun.fix.region import Part, document_part
from trialrun.fix.scalar_fast_path import is_scalar_on_a_line, read_alone
from trialrun.fix.text_lines import spliced
from trialrun.fix.unfixable import Refused
from trialrun.fix.verify import count
from trialrun.text import Edit, Source

NO_CURE = Refused("the trouble would not go away")
_QUOTABLE = ("ambiguous-scalar", "tagged-value")


def refusal_of_cure(edits: Sequence[Edit], source: Source, index: int, effort: Effort) -> Refused | None:
    """Why edits that a trouble of the reading asks for do not cure it; None when they do."""
    if all(_is_plain_cure(edit, source.text) for edit in edits):
        return None
    part = document_part(source, edits[0].span.start, index)
    if edits[-1].span.end > part.offset + len(part.text):
        return NO_CURE
    if refused := effort.spend(2 * len(part.text)):
        return refused
    before, mended = _count_before(part), count(part.read(spliced(part.text, edits, part.offset)))
    if mended["syntax-error"] > before["syntax-error"] or not before - mended:
        return NO_CURE
    return None


@lru_cache(maxsize=1)
def _count_before(part: Part) -> Counter[str]:
    """What is wrong in a part as it is: all that is cured in it is compared with that."""
    return count(part.read())


def _is_plain_cure(edit: Edit, text: str) -> bool:
    """Whether a whole scalar of one line, and nothing else, gets quotes or another spelling."""
    if not is_scalar_on_a_line(text, edit.span.start, edit.span.end, edit.text):
        return False
    before, mended = read_alone(text[edit.span.start : edit.span.end]), read_alone(edit.text)
    if len(before.troubles) != 1 or before.troubles[0].rule not in _QUOTABLE or mended.troubles:
        return False
    return len(mended.documents) == 1 and not isinstance(mended.documents[0].value[0], dict | list)
