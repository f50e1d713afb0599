"""The fixes of a value that may be meant in several ways: `True` as "True" or "true", `A, B` as one item or two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import json_pointer
from trialrun.lsp.results import CodeAction, FileEdits

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import WorkspaceFile


def other_readings(file: WorkspaceFile, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    """One action for each way in which the value of a `wrong-type` may be meant, where there are several."""
    from trialrun.fix import Unfixable, resolve_fix
    from trialrun.lint.positions import path_from_root
    from trialrun.lint.rule_support.type_advice import readings
    from trialrun.model.misfit import WrongType

    if diagnostic.rule != "wrong-type" or diagnostic.fix is not None:
        return
    for part in file.resources:
        for misfit in part.model.misfits:
            if part.document.index != diagnostic.document or json_pointer(misfit.path) != diagnostic.pointer:
                continue
            spelled = misfit.with_spelling(part.document.scalar_text)
            fixes = readings(spelled) if isinstance(spelled, WrongType) else ()
            for fix in fixes if len(fixes) > 1 else ():
                made = resolve_fix(fix, source=file.source, document=part.document, find_path=path_from_root)
                if not isinstance(made, Unfixable):
                    title = f"{made.title} (unsafe; review the change)"
                    edits = (FileEdits(file.path, made.edits),)
                    yield CodeAction(title, "quickfix", edits, (diagnostic.fingerprint,))
