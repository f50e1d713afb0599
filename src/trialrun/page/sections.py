"""The sections of the page by name: each is one JSON object, embedded in the file or answered by a server."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from trialrun.changes.report import plan_object
from trialrun.diagnostic import CharRange
from trialrun.outputs.scenarios import aspects, to_test_result
from trialrun.page.findings_section import findings_section
from trialrun.page.sources import PageSources
from trialrun.page.stores_section import stores_section
from trialrun.page.upsells_section import upsells_section
from trialrun.page.views_section import views_section
from trialrun.report.format_value import format_rfc3339
from trialrun.report.test_report import aspect_object, scenario_object
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.coverage import operand_deletions
from trialrun.runtime.scenario.format import collapse_spaces
from trialrun.values.resource_name import last_id
from trialrun.version import __version__

Section = dict[str, Any]
MAX_CHANGES = 500
"""Changes that a page shows, the gravest first; it counts all of them."""
MAX_MISSING = 300
"""What no scenario exercises, for each aspect; the page counts all of it."""
MAX_CONDITIONS = 300
Missing = Mapping[str, set[tuple[str, str, int]]]
"""What no scenario exercises, by aspect: its name, path and line."""


def scenarios_section(sources: PageSources) -> Section | None:
    """How scenarios ended, with their traces, and coverage; None without scenarios, which cover nothing.

    Coverage goes down to the parts of conditions that nothing exercises.
    """
    if not sources.scenarios:
        return None
    played = sources.played
    coverage = aspects(sources.documents, sources.brands, sources.options, sources.recorder)
    missing = {aspect.name: {(gap.name, gap.path, gap.line) for gap in aspect.uncovered} for aspect in coverage}
    plain = [(aspect, aspect_object(aspect)) for aspect in coverage]
    return {
        "scenarios": [scenario_object(to_test_result(run)) for run in played],
        "not_played": len(sources.scenarios) - len(played),
        "coverage": [
            {"name": aspect.name, "words": aspect.description, **one, "missing": one["missing"][:MAX_MISSING]}
            for aspect, one in plain
        ],
        "conditions": list(islice(_idle_conditions(sources, missing), MAX_CONDITIONS)),
    }


def _idle_conditions(sources: PageSources, missing: Missing) -> Iterator[Section]:
    """The conditions with a part that nothing exercises, or that are never true or false, each once."""
    seen: set[tuple[str, int, str]] = set()
    for config in sources.active_configs:
        strategy = config.upsell_strategy
        for upsell in (strategy and strategy.upsells) or ():
            if upsell.disabled or not upsell.celUpsell or not upsell.celUpsell.conditionExpression:
                continue
            origin = config.origin_of(upsell.celUpsell, "conditionExpression")
            key = (origin.path, origin.line, upsell_name(upsell))
            if key not in seen:
                seen.add(key)
                yield from _idle_condition(upsell, origin, missing)


def _idle_condition(upsell: Any, origin: Any, missing: Missing) -> Iterator[Section]:
    """A condition of which something is not exercised, with the characters of what could be left out unnoticed."""
    text = upsell.celUpsell.conditionExpression
    name = f"{last_id(origin.name)}: {upsell_name(upsell)}"
    never = [
        word
        for word, aspect in (("true", "conditionsTrue"), ("false", "conditionsFalse"))
        if (name, origin.path, origin.line) in missing.get(aspect, ())
    ]
    parts = []
    for start, end, _ in operand_deletions(text):
        place = CharRange(origin.place.node, origin.place.path, (start, end))
        part = collapse_spaces(text[start:end])
        line = origin.config.locate(place).start.line
        if (f"{name}: {part}", origin.path, line) in missing.get("conditionParts", ()):
            parts.append([start, end])
    if never or parts:
        where = {"path": origin.path, "line": origin.line}
        yield {"upsell": upsell_name(upsell), **where, "text": text, "never": never, "parts": parts}


def changes_section(sources: PageSources) -> Section | None:
    """What `trialrun plan` says of the changes; None where nobody asked since when."""
    if sources.plan is None:
        return None
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


def overview_section(sources: PageSources, others: Mapping[str, Any]) -> Section:
    """What the other sections say in short; `others` has them by name, those that the page has."""
    findings, changes = others["findings"], others.get("changes")
    counts = (  # of each kind of thing, and the page that shows them
        (sources.checked.files, "file", "#/findings"),
        (len(sources.brands.brands), "brand", "#/stores"),
        (len(sources.stores), "store", "#/stores"),
        (len(sources.brands.configs), "config", "#/stores"),
        (len(sources.documents.views), "feature view", "#/views"),
        (len(sources.scenarios), "scenario", "#/scenarios"),
    )
    return {
        "workspace": os.path.basename(sources.request.root) or sources.request.root,
        "version": __version__,
        "at": format_rfc3339(sources.now),
        "pages": ["overview", *others],
        "counts": [[number, noun if number == 1 else f"{noun}s", page] for number, noun, page in counts],
        "findings": {
            **{key: findings[key] for key in ("severities", "owners", "has_owners")},
            "suppressed": len(sources.checked.suppressed),
            "baselined": sources.checked.baselined,
            "not_checked": len(findings["not_checked"]),
        },
        "changes": None if changes is None else {key: changes[key] for key in ("base", "head", "summary")},
        "notes": list(_notes(sources)),
    }


def _notes(sources: PageSources) -> Iterator[str]:
    """What the page leaves out, and how it would be on it."""
    if sources.chosen_stores:
        names = [last_id(store.name) for store in sources.stores]
        yield f"stores other than {', '.join(names[:10])}{', …' if len(names) > 10 else ''} (--stores)"
    unreadable = dict.fromkeys((*sources.documents.unreadable_paths, *sources.brands.unreadable_paths))
    if unreadable:
        yield f"what cannot be read in {', '.join(unreadable)}; see the findings"
    if sources.documents.views and not sources.with_data:
        yield "rows of views and their values, which --with-data shows"
