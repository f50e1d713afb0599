"""Other values that may have been meant: suggestions of completion, and the readings of a value of a wrong type."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from trialrun.diagnostic import TextEdit, json_pointer
from trialrun.lsp.results import CodeAction, FileEdits
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile


NAME_RULES: Final = frozenset(
    {
        "unknown-field",
        "unknown-enum-value",
        "unknown-time-zone",
        "unknown-channel-config",
        "unknown-menu-item",
        "unknown-column",
        "unknown-feature",
        "unknown-store",
        "unknown-view",
        "invalid-language-tag",
    }
)
MAX_SUGGESTIONS: Final = 3
MIN_SIMILARITY: Final = 0.5
"""How alike two names are at least, of 1 for the same."""
_KINDS: Final = frozenset({"field", "value", "name", "zone", "language"})


def suggested_names(workspace: OpenWorkspace, file: WorkspaceFile, diagnostic: Diagnostic) -> Iterator[CodeAction]:
    """The names that are most like the one of a finding, except for that of the rule's own fix."""
    from trialrun.lsp.features.completion import completion

    if diagnostic.rule not in NAME_RULES or file.parsed.errors:
        return
    source = file.source
    wrong = source.text[source.offset(diagnostic.range.start) : source.offset(diagnostic.range.end)]
    own = {edit.text.strip("\"'") for edit in (diagnostic.fix.edits if diagnostic.fix else ())}
    edits: dict[TextEdit, tuple[float, str]] = {}
    for item in completion(workspace, file.path, source.offset(diagnostic.range.end)).items:
        start, end = source.offset(item.range.start), source.offset(item.range.end)
        written = source.text[start:end].lower()
        if wrong.lower() != written and wrong in item.label.split("/"):
            continue  # another name with the same wrong part
        label = item.label.lower() if "/" in written else last_id(item.label.lower())
        likeness = SequenceMatcher(None, written, label).ratio()
        if item.kind in _KINDS and not item.is_snippet and MIN_SIMILARITY <= likeness < 1 and item.label not in own:
            edits[TextEdit(item.range, item.text.removesuffix(": "))] = likeness, item.label
    nearest = sorted(edits, key=lambda edit: (-edits[edit][0], edits[edit][1]))[:MAX_SUGGESTIONS]
    for edit in nearest:
        if _reads(file, edit):
            title = f"write {edits[edit][1]} (unsafe; review the change)"
            yield CodeAction(title, "quickfix", (FileEdits(file.path, (edit,)),), (diagnostic.fingerprint,))


def _reads(file: WorkspaceFile, edit: TextEdit) -> bool:
    """Whether the text can still be read, all of it."""
    from trialrun.lsp.symbols.edit import apply_edits
    from trialrun.parser import parse

    tree = parse(apply_edits(file.source, [edit]).encode("utf-8", "surrogatepass"), file.path)
    return not tree.errors and len(tree.documents) == len(file.parsed.documents)


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
