"""The section of the overview: what there is in numbers, and what the page leaves out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from trialrun.report.format_value import format_rfc3339
from trialrun.values.resource_name import last_id
from trialrun.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trialrun.page.sources import PageSources


def overview_section(sources: PageSources, others: Mapping[str, Any]) -> dict[str, Any]:
    """What the other sections say in short; `others` has them by name, those that the page has."""
    findings = others["findings"]
    return {
        "workspace": os.path.basename(sources.request.root) or sources.request.root,
        "version": __version__,
        "at": format_rfc3339(sources.now),
        "pages": ["overview", *others],
        "counts": [list(entry) for entry in _counts(sources)],
        "findings": {
            **{key: findings[key] for key in ("severities", "owners", "has_owners")},
            "suppressed": len(sources.checked.suppressed),
            "baselined": sources.checked.baselined,
            "not_checked": len(findings["not_checked"]),
        },
        "changes": _changes(others.get("changes")),
        "notes": list(_notes(sources)),
    }


def _counts(sources: PageSources) -> Iterator[tuple[int, str, str]]:
    """How many there are of each kind of thing, and the page that shows them."""
    yield _count(sources.checked.files, "file", "files", "#/findings")
    yield _count(len(sources.brands.brands), "brand", "brands", "#/stores")
    yield _count(len(sources.stores), "store", "stores", "#/stores")
    yield _count(len(sources.brands.configs), "config", "configs", "#/stores")
    yield _count(len(sources.documents.views), "feature view", "feature views", "#/views")
    yield _count(len(sources.scenarios), "scenario", "scenarios", "#/scenarios")


def _count(number: int, one: str, several: str, to: str) -> tuple[int, str, str]:
    return number, one if number == 1 else several, to


def _changes(section: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if section is None else {key: section[key] for key in ("base", "head", "summary")}


def _notes(sources: PageSources) -> Iterator[str]:
    """What the page leaves out, and how it would be on it."""
    if sources.choices.stores:
        names: Sequence[str] = [last_id(store.name) for store in sources.stores]
        yield f"stores other than {', '.join(names[:10])}{', …' if len(names) > 10 else ''} (--stores)"
    unreadable = dict.fromkeys((*sources.documents.unreadable_paths, *sources.brands.unreadable_paths))
    if unreadable:
        yield f"what cannot be read in {', '.join(unreadable)}; see the findings"
    if sources.documents.views and not sources.choices.with_data:
        yield "rows of views and their values, which --with-data shows"
