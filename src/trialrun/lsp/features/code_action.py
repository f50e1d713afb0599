"""Code actions: fixes, fix all, ignore comments, and the pages of rules."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final

from trialrun.diagnostic import Diagnostic, ResolvedFix
from trialrun.lint.suppression.add_ignores import add_ignore
from trialrun.lint.suppression.suppression import REASON_PLACEHOLDER
from trialrun.lsp.quick_fixes import (
    add_missing_fields,
    fix_all_of_rule,
    fixed_text,
    ignore_in_settings,
    other_readings,
    suggested_names,
)
from trialrun.lsp.results import ActionKind, CodeAction, FileEdits
from trialrun.lsp.text_diff import diff_edits
from trialrun.text import Source
from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

MAX_FIXES: Final = 50
"""Fixes that are offered at once, as for a selection of the whole text: nobody picks from a longer list."""
MAX_IGNORES: Final = 10
"""Comments that are offered at once; each of them is tried, for which the text is read again."""
MAX_REPARSED_CHARACTERS: Final = 500_000
"""Characters that are read again for comments; where the text is longer, one comment is offered all the same."""


def code_action(
    workspace: OpenWorkspace,
    path: str,
    start: int,
    end: int,
    fingerprints: Collection[str] = (),
    *,
    only: Collection[str] = (),
) -> tuple[CodeAction, ...]:
    """What can be done about the findings with some fingerprints, or about those between two offsets without any.

    Fixes come first, the safe ones before the others. `only` are kinds of the protocol, such as `source.fixAll`: what
    is of no such kind is not computed. None are all kinds.
    """
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    actions: list[CodeAction] = []
    if _is_wanted("quickfix", only):
        diagnostics = workspace.diagnostics(path, with_fixes=True)
        asked = _asked(diagnostics, file.source, start, end, fingerprints)
        actions += [*_fixes(asked), *_near(workspace, file, asked), *_refused(asked)]
        actions += fix_all_of_rule(file, asked, diagnostics)
        actions += [*_ignores(workspace, file, asked), *_pages(asked)]
    fixed = fixed_text(workspace, path) if _is_wanted("source.fixAll.trialrun", only) else None
    if fixed is not None:  # as `trialrun check --fix` would do it
        title, edits = f"apply all safe fixes in this file ({fixed.fixed})", diff_edits(fixed.before, fixed.source)
        actions.append(CodeAction(title, "source.fixAll.trialrun", (FileEdits(path, edits),)))
    return tuple(actions)


def _is_wanted(kind: ActionKind, only: Collection[str]) -> bool:
    """Whether a kind, or one that it belongs to, is asked for."""
    return not only or any(kind == prefix or kind.startswith(f"{prefix}.") for prefix in only if prefix) or "" in only


def _asked(
    diagnostics: Sequence[Diagnostic], source: Source, start: int, end: int, fingerprints: Collection[str]
) -> list[Diagnostic]:
    """The findings that are named; where the text has none of these any more, those that the offsets touch."""
    return [one for one in diagnostics if one.fingerprint in fingerprints] or [
        one for one in diagnostics if source.offset(one.range.start) <= end and start <= source.offset(one.range.end)
    ]


def _fixes(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """The fixes, safe ones first; one that fixes several findings comes once."""
    alike: dict[ResolvedFix, list[Diagnostic]] = {}
    for diagnostic in asked:
        if diagnostic.fix is not None:
            alike.setdefault(diagnostic.fix, []).append(diagnostic)
    for fix, some in sorted(alike.items(), key=lambda known: not known[0].safe)[:MAX_FIXES]:
        title = fix.title if fix.safe else f"{fix.title} (unsafe; review the change)"
        edits = (FileEdits(some[0].path, fix.edits),)
        yield CodeAction(title, "quickfix", edits, _fingerprints(some), is_preferred=fix.safe)


def _near(workspace: OpenWorkspace, file: WorkspaceFile, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """Other names that may have been meant, and fields that are missing."""
    if len(file.source.text) <= MAX_REPARSED_CHARACTERS:
        for diagnostic in asked[:MAX_IGNORES]:
            yield from suggested_names(workspace, file, diagnostic)
            yield from add_missing_fields(file, diagnostic)
            yield from other_readings(file, diagnostic)


def _refused(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """The fixes that a rule proposes and that cannot be made, with the reason."""
    for diagnostic in asked[:MAX_FIXES]:
        if diagnostic.fix is None and diagnostic.refusal is not None:
            named = (diagnostic.fingerprint,)
            yield CodeAction(f"fix {diagnostic.rule}", "quickfix", fingerprints=named, disabled=diagnostic.refusal)


def _ignores(workspace: OpenWorkspace, file: WorkspaceFile, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    alike: dict[tuple[str, int], list[Diagnostic]] = {}
    for diagnostic in asked:
        alike.setdefault((diagnostic.rule, diagnostic.range.start.line), []).append(diagnostic)
    most = max(1, min(MAX_IGNORES, MAX_REPARSED_CHARACTERS // max(1, len(file.source.text))))
    for (rule, _), some in islice(alike.items(), most):
        edit = add_ignore(file.parsed, some[0])
        edits = FileEdits(file.path, (edit,)) if edit else ignore_in_settings(workspace, some[0])
        if edits is not None:
            title = f"suppress {rule} {'here' if edit else f'in {edits.path}'}"
            yield CodeAction(title, "quickfix", (edits,), _fingerprints(some), placeholder=REASON_PLACEHOLDER)


def _pages(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    for rule in dict.fromkeys(diagnostic.rule for diagnostic in asked):
        named = _fingerprints([diagnostic for diagnostic in asked if diagnostic.rule == rule])
        yield CodeAction(f"explain {rule}", "quickfix", fingerprints=named, rule_to_explain=rule)


def _fingerprints(some: Sequence[Diagnostic]) -> tuple[str, ...]:
    return tuple(diagnostic.fingerprint for diagnostic in some)
