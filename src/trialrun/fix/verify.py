"""The proof of a fix: its edits are made and read again, and only what it means to change has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trialrun.diagnostic import Remove
from trialrun.fix.budget import Effort
from trialrun.fix.expected_value import after, same
from trialrun.fix.operation import Step
from trialrun.fix.region import Part, document_part, entry_part, value_in
from trialrun.fix.scalar_fast_path import is_plain_to_see
from trialrun.fix.text_lines import spliced
from trialrun.fix.unfixable import Refused
from trialrun.parser import Document, Tree
from trialrun.text import Edit, Source

NOT_READABLE = Refused("the file would not read as before")
NOT_AS_MEANT = Refused("more or something else would change than is meant")
NOT_ALONE = Refused("other places would change with it, through an alias")


def refusal_of(
    steps: Sequence[Step], edits: Sequence[Edit], source: Source, document: Document, effort: Effort
) -> Refused | None:
    """Why the edits do not do what the operations mean; None when they do."""
    whole = document_part(source, document.span(()).start, document.index)
    removes_several = len(steps) > 1 and any(isinstance(step.operation, Remove) for step in steps)
    is_apart = not whole.has_anchors or all(document.stands_alone(step.path) for step in steps)
    if is_apart and not removes_several and all(is_plain_to_see(step, source.text) for step in steps):
        return None
    if whole.has_anchors:
        refused = _refusal_in(whole, steps, edits, document, effort)
        return NOT_ALONE if refused is NOT_AS_MEANT else refused
    entry = entry_part(source, document, [step.path for step in steps])
    if entry is not None and _refusal_in(entry, steps, edits, document, effort) is None:
        return None
    return _refusal_in(whole, steps, edits, document, effort)


def _refusal_in(
    part: Part, steps: Sequence[Step], edits: Sequence[Edit], document: Document, effort: Effort
) -> Refused | None:
    """The same, of the part that is read again."""
    if refused := effort.spend(len(part.text)):
        return refused
    mended = part.read(spliced(part.text, edits, part.offset))
    depth = len(part.above)
    wanted = after(value_in(part, document), [(step.operation, step.path[depth:]) for step in steps])
    values = [one.value for one in mended.documents]
    others = [None] * len(values)
    if mended.troubles or len(values) != 1:
        before = part.read()
        if count(mended) - count(before):
            return NOT_READABLE
        others = [one.value for one in before.documents]
    if part.document >= len(others):
        return NOT_READABLE
    others[part.document] = part.held(wanted)
    return None if same(values, others) else NOT_AS_MEANT


def count(tree: Tree) -> Counter[str]:
    """How often each rule speaks in the reading of a text."""
    return Counter(trouble.rule for trouble in tree.troubles)
