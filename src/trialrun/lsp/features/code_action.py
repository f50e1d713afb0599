"""What can be done about findings: their fixes, all safe ones at once, a comment that ignores, the rule's page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Final

from trialrun.lsp.results import ActionKind, CodeAction, FileEdits

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic, TextFix
    from trialrun.text import Source
    from trialrun.workspace.open_workspace import Live, Reading

MOST_FIXES: Final = 50
"""Fixes that are offered at once, as for a selection of the whole text: nobody picks from a longer list."""
MOST_IGNORED: Final = 10
"""Comments that are offered at once; each of them is tried, for which the text is read again."""
MOST_READ: Final = 500_000
"""Characters that are read again for comments; where the text is longer, one comment is offered all the same."""


def code_actions(
    live: Live, path: str, start: int, end: int, fingerprints: Collection[str] = (), *, only: Collection[str] = ()
) -> tuple[CodeAction, ...]:
    """What can be done about the findings with some fingerprints, or about those between two offsets without any.

    Fixes come first, the safe ones before the others. `only` are kinds of the protocol, such as `source.fixAll`: what
    is of no such kind is not worked out. None are all kinds.
    """
    from trialrun.lsp.quick_fixes.fix_all_of_rule import all_of_rule

    reading = live.reading(path)
    if reading is None:
        return ()
    actions: list[CodeAction] = []
    if _is_wanted("quickfix", only):
        asked = _asked(live.diagnostics(path), reading.source, start, end, fingerprints)
        actions += [*_fixes(asked), *_near(live, reading, asked), *_refused(asked)]
        actions += all_of_rule(reading, asked, live.diagnostics(path))
        actions += [*_ignores(live, reading, asked), *_pages(asked)]
    if _is_wanted("source.fixAll.trialrun", only):
        actions += _fix_all(live, path)
    return tuple(actions)


def _is_wanted(kind: ActionKind, only: Collection[str]) -> bool:
    """Whether a kind, or one that it belongs to, is asked for."""
    return not only or any(kind == one or kind.startswith(f"{one}.") for one in only if one) or "" in only


def _asked(
    found: Iterable[Diagnostic], source: Source, start: int, end: int, fingerprints: Collection[str]
) -> list[Diagnostic]:
    """The findings that are named; where the text has none of these any more, those that the offsets touch."""
    told = list(found)
    named = [one for one in told if one.fingerprint in fingerprints]
    return named or [
        one for one in told if source.offset(one.range.start) <= end and start <= source.offset(one.range.end)
    ]


def _fixes(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """The fixes, safe ones first; one that mends several findings comes once."""
    alike: dict[TextFix, list[Diagnostic]] = {}
    for one in asked:
        if one.fix is not None:
            alike.setdefault(one.fix, []).append(one)
    for fix, some in sorted(alike.items(), key=lambda known: not known[0].safe)[:MOST_FIXES]:
        title = fix.title if fix.safe else f"{fix.title} (unsafe: look at what it changes)"
        edits = (FileEdits(some[0].path, fix.edits),)
        yield CodeAction(title, "quickfix", edits, _fingerprints(some), is_preferred=fix.safe)


def _near(live: Live, reading: Reading, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """Other names that may have been meant, and fields that are missing."""
    from trialrun.lsp.quick_fixes.add_missing_fields import added_fields
    from trialrun.lsp.quick_fixes.suggestions import near_names

    if len(reading.source.text) <= MOST_READ:
        for one in asked[:MOST_IGNORED]:
            yield from near_names(live, reading, one)
            yield from added_fields(reading, one)


def _refused(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    """The fixes that a rule proposes and that cannot be made, with the reason."""
    for one in asked[:MOST_FIXES]:
        if one.fix is None and one.refusal is not None:
            yield CodeAction(f"fix {one.rule}", "quickfix", fingerprints=(one.fingerprint,), disabled=one.refusal)


def _ignores(live: Live, reading: Reading, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    from trialrun.lint.suppression.directive import REASON_TO_WRITE
    from trialrun.lint.suppression.insert_comment import ignoring
    from trialrun.lsp.quick_fixes.ignore_in_settings import ignoring_in_settings

    alike: dict[tuple[str, int], list[Diagnostic]] = {}
    for one in asked:
        alike.setdefault((one.rule, one.range.start.line), []).append(one)
    most = max(1, min(MOST_IGNORED, MOST_READ // max(1, len(reading.source.text))))
    for (rule, _), some in islice(alike.items(), most):
        edit = ignoring(reading.tree, some[0])
        edits = FileEdits(reading.path, (edit,)) if edit else ignoring_in_settings(live, some[0])
        if edits is not None:
            where = "here" if edit else f"in {edits.path}"
            title = f"ignore {rule} {where}, with a reason"
            yield CodeAction(title, "quickfix", (edits,), _fingerprints(some), placeholder=REASON_TO_WRITE)


def _pages(asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    for rule in dict.fromkeys(one.rule for one in asked):
        named = _fingerprints([one for one in asked if one.rule == rule])
        yield CodeAction(f"explain {rule}", "quickfix", fingerprints=named, explains=rule)


def _fingerprints(some: Sequence[Diagnostic]) -> tuple[str, ...]:
    return tuple(one.fingerprint for one in some)


def _fix_all(live: Live, path: str) -> Iterator[CodeAction]:
    """What `trialrun check --fix` would do to the text; nothing where it would change nothing."""
    from trialrun.lsp.text_diff import rewriting
    from trialrun.workspace.open_workspace.fix_all import mended_text

    file = mended_text(live, path)
    if file is not None:
        edits = (FileEdits(path, rewriting(file.before, file.source)),)
        yield CodeAction(f"make all safe fixes in this file ({file.fixed})", "source.fixAll.trialrun", edits)
