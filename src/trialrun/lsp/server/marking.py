"""A finding in the words of the protocol: where it is, what else belongs to it, and the page of its rule."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lsp.server.position_encoding import Counted
from trialrun.lsp.server.text_documents import Shown
from trialrun.lsp.server.to_proto import range_of

SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.NOTE: types.DiagnosticSeverity.Information,
}
DEPRECATED = frozenset({"deprecated-field", "deprecated-time-zone"})
UNNECESSARY = frozenset(
    {
        "empty-sync-config",
        "expired-suppression",
        "frequency-never-used",
        "output-only-field",
        "rag-source-scheduled",
        "shadowed-channel-config",
        "skip-without-effect",
        "sync-without-source",
        "unreachable-upsell",
        "unused-channel-config",
        "unused-suppression",
        "useless-modifier-limit",
    }
)
"""Rules whose findings are about a part that changes nothing: an editor fades it."""


def diagnostic_of(found: Diagnostic, counted: Counted, shown: Shown, link: str | None) -> types.Diagnostic:
    """A finding, with the address of its rule's page; its fingerprint comes back with a question about what to do."""
    return types.Diagnostic(
        range=range_of(counted, found.range),
        message=found.message if found.help is None else f"{found.message}\n{found.help}",
        severity=SEVERITIES[found.severity],
        code=found.rule,
        code_description=None if link is None else types.CodeDescription(link),
        source="trialrun",
        tags=list(_tags(found.rule)) or None,
        related_information=list(_related(found, counted, shown)) or None,
        data={"fingerprint": found.fingerprint},
    )


def _tags(rule: str) -> Iterator[types.DiagnosticTag]:
    if rule in DEPRECATED:
        yield types.DiagnosticTag.Deprecated
    if rule in UNNECESSARY:
        yield types.DiagnosticTag.Unnecessary


def _related(found: Diagnostic, counted: Counted, shown: Shown) -> Iterator[types.DiagnosticRelatedInformation]:
    for one in found.related:
        there = counted if one.path == found.path else shown.counted(one.path)
        if there is not None:
            place = types.Location(shown.uri(one.path), range_of(there, one.range))
            yield types.DiagnosticRelatedInformation(place, one.message)
