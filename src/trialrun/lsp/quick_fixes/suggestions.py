"""Other names that may have been meant: what could be written at the place, and is like what stands there."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from trialrun.diagnostic import TextEdit
from trialrun.lsp.results import CodeAction, FileEdits

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace import Live, Reading

MISNAMED: Final = frozenset(
    {
        "unknown-field",
        "unknown-enum-value",
        "unknown-time-zone",
        "unknown-channel-config",
        "unknown-menu-item",
        "unknown-column",
        "unknown-feature",
        "invalid-language-tag",
    }
)
MOST_NEAR: Final = 3
NEAR: Final = 0.5
"""How alike two names are at least, of 1 for the same."""
_KINDS: Final = frozenset({"field", "value", "name", "zone", "language"})


def near_names(live: Live, reading: Reading, found: Diagnostic) -> Iterator[CodeAction]:
    """The names that are most like the one of a finding, but for that of the rule's own fix."""
    from trialrun.lsp.features.completion import completion

    if found.rule not in MISNAMED or reading.tree.troubles:
        return
    source = reading.source
    own = {edit.text.strip("\"'") for edit in (found.fix.edits if found.fix else ())}
    edits: dict[TextEdit, tuple[float, str]] = {}
    for item in completion(live, reading.path, source.offset(found.range.end)).items:
        start, end = source.offset(item.range.start), source.offset(item.range.end)
        likeness = SequenceMatcher(None, source.text[start:end].lower(), item.label.lower()).ratio()
        if item.kind in _KINDS and not item.is_snippet and NEAR <= likeness < 1 and item.label not in own:
            edits[TextEdit(item.range, item.text.removesuffix(": "))] = likeness, item.label
    nearest = sorted(edits, key=lambda edit: (-edits[edit][0], edits[edit][1]))[:MOST_NEAR]
    for edit in nearest:
        if _reads(reading, edit):
            title = f"write {edits[edit][1]} (unsafe: look at what it changes)"
            yield CodeAction(title, "quickfix", (FileEdits(reading.path, (edit,)),), (found.fingerprint,))


def _reads(reading: Reading, edit: TextEdit) -> bool:
    """Whether the text can still be read, all of it."""
    from trialrun.lsp.symbols.edit import made
    from trialrun.parser import read

    tree = read(made(reading.source, [edit]).encode("utf-8", "surrogatepass"), reading.path)
    return not tree.troubles and len(tree.documents) == len(reading.tree.documents)
