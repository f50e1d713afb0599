"""The section of scenarios: how each ended, and what none of them exercises, down to the parts of conditions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import CharRange
from trialrun.outputs.scenario_results import aspects, to_test_result
from trialrun.report.test_report.json import aspect_object, scenario_object
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.page.sources import PageSources
    from trialrun.runtime.channel_config.active_config import ActiveConfig

MAX_MISSING = 300
"""What no scenario exercises, for each aspect; the page counts all of it."""
MAX_CONDITIONS = 300
Missing = Collection[tuple[str, str, int]]


def scenarios_section(sources: PageSources) -> dict[str, Any] | None:
    """How scenarios ended, with their traces, and coverage; None without scenarios, which cover nothing."""
    if not sources.scenarios:
        return None
    played = sources.played
    coverage = aspects(sources.documents, sources.brands, sources.options, sources.recorder)
    missing = {aspect.name: {(gap.name, gap.path, gap.line) for gap in aspect.uncovered} for aspect in coverage}
    return {
        "scenarios": [scenario_object(to_test_result(run)) for run in played],
        "not_played": len(sources.scenarios) - len(played),
        "coverage": [_aspect(aspect) for aspect in coverage],
        "conditions": list(islice(_conditions(sources, missing), MAX_CONDITIONS)),
    }


def _aspect(aspect: Any) -> dict[str, Any]:
    plain = aspect_object(aspect)
    return {"name": aspect.name, "words": aspect.description, **plain, "missing": plain["missing"][:MAX_MISSING]}


def _conditions(sources: PageSources, missing: dict[str, set[tuple[str, str, int]]]) -> Iterator[dict[str, Any]]:
    """The conditions with a part that nothing exercises, or that are never true or false, each once."""
    seen: set[tuple[str, int, str]] = set()
    for config in sources.active_configs:
        strategy = config.upsell_strategy
        for upsell in (strategy and strategy.upsells) or ():
            if upsell.disabled or not upsell.celUpsell or not upsell.celUpsell.conditionExpression:
                continue
            condition = _condition(upsell, config, missing, seen)
            if condition is not None:
                yield condition


def _condition(
    upsell: UpsellConfig, config: ActiveConfig, missing: dict[str, set[Any]], seen: set[tuple[str, int, str]]
) -> dict[str, Any] | None:
    assert upsell.celUpsell is not None
    origin = config.origin_of(upsell.celUpsell, "conditionExpression")
    key = (origin.path, origin.line, upsell_name(upsell))
    if key in seen:
        return None
    seen.add(key)
    name = f"{last_id(origin.name)}: {upsell_name(upsell)}"
    never = [
        word
        for word, aspect in (("true", "conditionsTrue"), ("false", "conditionsFalse"))
        if (name, origin.path, origin.line) in missing.get(aspect, ())
    ]
    text = upsell.celUpsell.conditionExpression or ""
    parts = list(_idle_parts(text, name, origin, missing.get("conditionParts", ())))
    if not never and not parts:
        return None
    where = {"path": origin.path, "line": origin.line}
    return {"upsell": upsell_name(upsell), **where, "text": text, "never": never, "parts": parts}


def _idle_parts(text: str, name: str, origin: Any, missing: Missing) -> Iterator[list[int]]:
    """The characters of the parts of a condition that could be left out unnoticed."""
    from trialrun.runtime.scenario.coverage import operand_deletions
    from trialrun.runtime.scenario.format import collapse_spaces

    for start, end, _ in operand_deletions(text):
        place = CharRange(origin.place.node, origin.place.path, (start, end))
        line = origin.config.locate(place).start.line
        part = collapse_spaces(text[start:end])
        if (f"{name}: {part}", origin.path, line) in missing:
            yield [start, end]
