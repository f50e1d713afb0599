"""The sections of the page by name: each is one JSON object, embedded in the file or answered by a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from trialrun.page.findings_section import findings_section
from trialrun.page.scenarios_section import scenarios_section
from trialrun.page.stores_section import stores_section
from trialrun.page.upsells_section import upsells_section
from trialrun.page.views_section import views_section
from trialrun.report.format_value import format_rfc3339
from trialrun.values.resource_name import last_id
from trialrun.version import __version__

if TYPE_CHECKING:
    from trialrun.page.sources import PageSources


Section = dict[str, Any]
MAX_CHANGES = 500
"""Changes that a page shows, the gravest first; it counts all of them."""


def changes_section(sources: PageSources) -> Section | None:
    """What `trialrun plan` says of the changes; None where nobody asked since when."""
    if sources.plan is None:
        return None
    from trialrun.changes.report import plan_object

    plan = plan_object(sources.plan)
    return {**plan, "changes": plan["changes"][:MAX_CHANGES], "total": len(plan["changes"])}


SECTIONS: Final[Mapping[str, Callable[[PageSources], Section | None]]] = {
    "stores": stores_section,
    "upsells": upsells_section,
    "views": views_section,
    "findings": findings_section,
    "scenarios": scenarios_section,
    "changes": changes_section,
}
"""The function of each section; None from it leaves the section out."""


def build_sections(sources: PageSources) -> Iterator[tuple[str, Section]]:
    """Every section that the page has, the overview first."""
    built = {name: build(sources) for name, build in SECTIONS.items()}
    present = {name: section for name, section in built.items() if section is not None}
    yield "overview", overview_section(sources, present)
    yield from present.items()


def overview_section(sources: PageSources, others: Mapping[str, Any]) -> dict[str, Any]:
    """What the other sections say in short; `others` has them by name, those that the page has."""
    findings, changes = others["findings"], others.get("changes")
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
        "changes": None if changes is None else {key: changes[key] for key in ("base", "head", "summary")},
        "notes": list(_notes(sources)),
    }


def _counts(sources: PageSources) -> Iterator[tuple[int, str, str]]:
    """How many there are of each kind of thing, and the page that shows them."""
    counts = (
        (sources.checked.files, "file", "#/findings"),
        (len(sources.brands.brands), "brand", "#/stores"),
        (len(sources.stores), "store", "#/stores"),
        (len(sources.brands.configs), "config", "#/stores"),
        (len(sources.documents.views), "feature view", "#/views"),
        (len(sources.scenarios), "scenario", "#/scenarios"),
    )
    yield from ((number, noun if number == 1 else f"{noun}s", page) for number, noun, page in counts)


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
