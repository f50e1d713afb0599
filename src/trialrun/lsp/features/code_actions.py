"""What can be done about findings: their fixes, all safe ones at once, a comment that ignores, the rule's page."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.lsp.answer import ActionKind, CodeAction, FileEdits

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.text import Source
    from trialrun.workspace.live import Live, Reading


def code_actions(
    live: Live, path: str, start: int, end: int, fingerprints: Collection[str] = (), *, only: Collection[str] = ()
) -> tuple[CodeAction, ...]:
    """What can be done about the findings with some fingerprints, or about those between two offsets without any.

    Fixes come first, the safe ones before the others. `only` are kinds of the protocol, such as `source.fixAll`: what
    is of no such kind is not worked out. None are all kinds.
    """
    reading = live.reading(path)
    if reading is None:
        return ()
    actions: list[CodeAction] = []
    if _is_wanted("quickfix", only):
        asked = _asked(live.diagnostics(path), reading.source, start, end, fingerprints)
        actions += _merged([*_fixes(asked), *_ignores(reading, asked), *_pages(live, path, asked)])
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
    for one in sorted(asked, key=lambda one: one.fix is None or not one.fix.safe):
        if one.fix is not None:
            yield CodeAction(
                one.fix.title if one.fix.safe else f"{one.fix.title} (unsafe: look at what it changes)",
                "quickfix",
                (FileEdits(one.path, one.fix.edits),),
                (one.fingerprint,),
                is_preferred=one.fix.safe,
            )


def _ignores(reading: Reading, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    from trialrun.lint.suppression.writing import ignoring

    for one in asked:
        edit = ignoring(reading.tree, one)
        if edit is not None:
            edits = (FileEdits(one.path, (edit,)),)
            yield CodeAction(f"ignore {one.rule} here, with a reason", "quickfix", edits, (one.fingerprint,))


def _pages(live: Live, path: str, asked: Sequence[Diagnostic]) -> Iterator[CodeAction]:
    from trialrun.lsp.rule_pages import rule_page

    for one in asked:
        page = rule_page(live, path, one.rule)
        if page is not None:
            yield CodeAction(f"explain {one.rule}", "quickfix", fingerprints=(one.fingerprint,), explains=page)


def _merged(actions: Iterable[CodeAction]) -> list[CodeAction]:
    """The actions, each once: one that does the same for several findings has the fingerprints of all."""
    merged: dict[CodeAction, CodeAction] = {}
    for action in actions:
        deed = replace(action, fingerprints=())
        known = merged.get(deed, deed)
        merged[deed] = replace(known, fingerprints=(*known.fingerprints, *action.fingerprints))
    return list(merged.values())


def _fix_all(live: Live, path: str) -> Iterator[CodeAction]:
    """What `trialrun check --fix` would do to the text; nothing where it would change nothing."""
    from trialrun.lsp.rewriting import rewriting
    from trialrun.workspace.live.mending import mended_text

    file = mended_text(live, path)
    if file is not None:
        edits = (FileEdits(path, rewriting(file.before, file.source)),)
        yield CodeAction(f"make all safe fixes in this file ({file.fixed})", "source.fixAll.trialrun", edits)
