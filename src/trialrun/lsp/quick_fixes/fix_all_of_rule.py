"""All fixes of one rule in a file at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from trialrun.lsp.results import CodeAction, FileEdits

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic, TextFix
    from trialrun.workspace.open_workspace import Reading

MOST_TOGETHER: Final = 200
"""Fixes that are made at once: each is tried with the others, for which the text is read again."""


def all_of_rule(reading: Reading, asked: Sequence[Diagnostic], found: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """For each rule of the findings that are asked about, all of its fixes that can be made together."""
    for rule in dict.fromkeys(one.rule for one in asked if one.fix):
        mended = [one for one in found if one.rule == rule and one.fix and one.path == reading.path]
        fixes = list(dict.fromkeys(one.fix for one in mended if one.fix))[:MOST_TOGETHER]
        if len(fixes) > 1:
            yield from _together(reading, rule, mended, fixes)


def _together(
    reading: Reading, rule: str, mended: Sequence[Diagnostic], fixes: Sequence[TextFix]
) -> Iterator[CodeAction]:
    from trialrun.fix import made_together
    from trialrun.lsp.text_diff import rewriting
    from trialrun.text import Source

    done = made_together(reading.source, fixes)
    if len(done.made) < 2:
        return
    is_safe = all(fixes[number].safe for number in done.made)
    title = f"make all {len(done.made)} fixes of {rule} in this file"
    marks = tuple(one.fingerprint for one in mended if one.fix in {fixes[number] for number in done.made})
    edits = rewriting(reading.source, Source(reading.path, done.text))
    yield CodeAction(
        title if is_safe else f"{title} (unsafe: look at what they change)",
        "quickfix", (FileEdits(reading.path, edits),), marks,
    )  # fmt: skip
