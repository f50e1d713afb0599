"""Apply all fixes of one rule in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from trialrun.lsp.results import CodeAction, FileEdits

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic, ResolvedFix
    from trialrun.workspace.open_workspace import WorkspaceFile

MAX_FIXES_TOGETHER: Final = 200
"""Fixes that are made at once: each is tried with the others, for which the text is read again."""


def fix_all_of_rule(
    file: WorkspaceFile, asked: Sequence[Diagnostic], diagnostics: Sequence[Diagnostic]
) -> Iterator[CodeAction]:
    """For each rule of the findings that are asked about, all of its fixes that can be made together."""
    for rule in dict.fromkeys(diagnostic.rule for diagnostic in asked if diagnostic.fix):
        mended = [
            diagnostic
            for diagnostic in diagnostics
            if diagnostic.rule == rule and diagnostic.fix and diagnostic.path == file.path
        ]
        fixes = list(dict.fromkeys(diagnostic.fix for diagnostic in mended if diagnostic.fix))[:MAX_FIXES_TOGETHER]
        if len(fixes) > 1:
            yield from _together(file, rule, mended, fixes)


def _together(
    file: WorkspaceFile, rule: str, mended: Sequence[Diagnostic], fixes: Sequence[ResolvedFix]
) -> Iterator[CodeAction]:
    from trialrun.fix import apply_fixes
    from trialrun.lsp.text_diff import diff_edits
    from trialrun.text import Source

    done = apply_fixes(file.source, fixes)
    if len(done.indexes) < 2:
        return
    is_safe = all(fixes[number].safe for number in done.indexes)
    title = f"apply all {len(done.indexes)} fixes of {rule} in this file"
    marks = tuple(
        diagnostic.fingerprint for diagnostic in mended if diagnostic.fix in {fixes[number] for number in done.indexes}
    )
    edits = diff_edits(file.source, Source(file.path, done.text))
    yield CodeAction(
        title if is_safe else f"{title} (unsafe; review the changes)",
        "quickfix", (FileEdits(file.path, edits),), marks,
    )  # fmt: skip
