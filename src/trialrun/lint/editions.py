"""Editions: the default set of rules at a point in time, so that an upgrade does not cause new findings."""

from __future__ import annotations

ADDED: dict[str, frozenset[str]] = {
    "2026.1": frozenset(),
    "2026.2": frozenset(
        {
            "unknown-channel-config",
            "unused-channel-config",
            "rule-bound-twice",
            "store-type-mismatch",
            "unknown-menu-item",
            "menu-id-mismatch",
            "unknown-feature",
            "sync-herd",
        }
    ),
    "2026.3": frozenset({"unknown-column", "column-type", "rag-columns", "entity-id-as-feature"}),
    "2026.4": frozenset({"ambiguous-binding", "shadowed-channel-config"}),
    "2026.5": frozenset(
        {
            "changed-time-zone",
            "deceptive-text",
            "field-of-other-type",
            "invalid-availability",
            "invalid-source-place",
            "message-unused-at-store",
            "priority-tie-at-store",
            "unknown-brand",
            "unknown-store",
            "unknown-view",
            "upsell-unreachable-at-store",
            "cel-extension",
            "cel-portability",
            "duplicate-upsell-name",
            "suspicious-uri",
            "unavailable-menu-item",
            "unused-session-field",
        }
    ),
}
"""The rules that each edition added to the default set, oldest first.

Rules about suppressions belong to every edition, since there were no suppressions before they existed.
"""

NEWEST = list(ADDED)[-1]


def added_after(edition: str) -> frozenset[str]:
    """The rules added after an edition. Raises KeyError for an unknown edition."""
    names = list(ADDED)
    later = names[names.index(edition) + 1 :] if edition in ADDED else None
    if later is None:
        raise KeyError(edition)
    return frozenset().union(*(ADDED[edition] for edition in later))
