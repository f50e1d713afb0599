"""The sections of the page by name: each is one JSON object, embedded in the file or answered by a server."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from trialrun.diagnostic import Diagnostic, Range, SymbolicLocation
from trialrun.git import line_dates
from trialrun.outputs.checks import suppression_object
from trialrun.outputs.plan import plan_object
from trialrun.outputs.report_run import report_run
from trialrun.outputs.test_report import aspect_object, aspects, scenario_object
from trialrun.page.html import PackedSection
from trialrun.page.sources import PageSources
from trialrun.page.stores_section import stores_section
from trialrun.page.upsells_section import upsells_section
from trialrun.page.views_section import views_section
from trialrun.report.code_frame import annotated_places, clamp_range
from trialrun.report.json import diagnostic_object
from trialrun.runtime.channel_config.session.turn import upsell_name
from trialrun.runtime.scenario.coverage import collapse_spaces, operand_deletions
from trialrun.text import Source
from trialrun.values.resource_name import last_id
from trialrun.values.timestamp import format_timestamp
from trialrun.version import __version__
from trialrun.working_folder import display_path
from trialrun.workspace.catalog import forget_places

MAX_FINDINGS = 2000
"""Findings that a page shows, the worst first; it counts all of them."""
MAX_LINE = 240
"""Characters of a line that are shown, around its first mark."""
MAX_WHOLE_LINES = 6
"""Of a longer range, the first three lines and the last two are shown."""
CONTEXT = 1
"""Lines before and after a finding that are shown with it."""
Texts = Callable[[str], Source | None]


def findings_section(sources: PageSources) -> dict[str, Any]:
    """Everything that `trialrun check` reports, with the lines that it is about."""
    checked = sources.checked
    worst = sorted(checked.diagnostics, key=lambda diagnostic: (-diagnostic.severity, diagnostic.sort_key))
    shown = worst[:MAX_FINDINGS]
    texts = lru_cache(maxsize=32)(sources.request.source_reader())  # the findings of a file follow each other
    rule_pages = report_run(sources.request, checked, "error").rules
    paths = {diagnostic.rule: diagnostic.path for diagnostic in shown}
    pages = {rule: page for rule in sorted(paths) if (page := rule_pages(rule, paths[rule]))}
    standings = sorted(
        (status for status in checked.suppression_statuses if status.rules),
        key=lambda status: (status.path, status.line),
    )
    born = line_dates((standing.path, standing.line) for standing in standings)
    return {
        "findings": [_finding(diagnostic, texts) for diagnostic in shown],
        "total": len(worst),
        "severities": dict(Counter(diagnostic.severity.word for diagnostic in worst)),
        "rules": {
            rule: {"severity": page.severity.word, "page": _first_examples(page.plain)} for rule, page in pages.items()
        },
        "suppressions": [
            suppression_object(standing, born.get((standing.path, standing.line)), sources.now.date())
            for standing in standings
        ],
        "baseline": _baseline(sources),
        "not_checked": [{"path": one.path, "what": one.what, "why": one.why} for one in checked.not_checked],
    }


def _finding(diagnostic: Diagnostic, texts: Texts) -> dict[str, Any]:
    plain = diagnostic_object(diagnostic)
    keys = ("rule", "severity", "message", "path", "pointer", "fingerprint", "refusal")
    fix = diagnostic.fix and {"title": diagnostic.fix.title, "safe": diagnostic.fix.safe}
    return {
        **{key: plain[key] for key in keys if key in plain},
        "line": diagnostic.range.start.line,
        "column": diagnostic.range.start.column,
        "resource": diagnostic.resource,
        "help": diagnostic.help,
        "fix": fix,
        "frames": list(_frames(diagnostic, texts)),
    }


def _first_examples(page: str) -> str:
    """The page of a rule with its first example of each kind."""
    parts = re.split(r"(?m)^(?=(?:Good|Bad|Fixed)(?:, [^\n]*)?$)", page)
    kinds = [part[:3] for part in parts]
    return "".join(part for number, part in enumerate(parts) if not number or part[:3] not in kinds[1:number])


def _baseline(sources: PageSources) -> dict[str, Any] | None:
    """How many known findings the baseline of the settings has, how many of them are hidden, and how old it is."""
    baseline, file = sources.request.baseline, sources.request.profiles.settings.baseline_file
    if baseline is None or file is None:
        return None
    count = len(baseline.entries)
    path = display_path(os.path.join(sources.request.profiles.settings.folder, file))
    first = min(line_dates((path, line) for line in range(2, 2 + count)).values(), default=None)
    return {
        "path": file,
        "entries": count,
        "hidden": sources.checked.baselined,
        "since": first.isoformat() if first else None,
        "days": max((sources.now.date() - first).days, 0) if first else None,
    }


def _frames(diagnostic: Diagnostic, texts: Texts) -> Iterator[dict[str, Any]]:
    """A frame for each file that a finding speaks of, its own first."""
    for path, marked in annotated_places(diagnostic).items():
        source, start = texts(path), marked[0].range.start
        marks: dict[int, list[list[Any]]] = {}
        shown: set[int] = set()
        for annotation in marked:
            if source is not None and (where := clamp_range(source, annotation.range)):
                shown.update(_shown_lines(where, len(source.line_starts)))
                for line, begin, end in _line_marks(where, source):
                    message = annotation.message if line == where.start.line else ""
                    marks.setdefault(line, []).append([begin, end, annotation.style, message])
        lines = [_line(source, number, marks.get(number, [])) for number in sorted(shown) if source is not None]
        yield {"path": path, "line": start.line, "column": start.column, "lines": lines}


def _shown_lines(where: Range, count: int) -> Iterator[int]:
    first, last = where.start.line, where.end.line
    inner = range(first, last + 1)
    yield from inner if len(inner) <= MAX_WHOLE_LINES else (*inner[:3], *inner[-2:])
    yield from range(max(1, first - CONTEXT), first)
    yield from range(last + 1, min(count, last + CONTEXT) + 1)


def _line_marks(where: Range, source: Source) -> Iterator[tuple[int, int, int]]:
    """The characters from 0 that are marked in each line; a mark without any covers one."""
    first, last = where.start, where.end
    for number in {*_shown_lines(where, len(source.line_starts))} & {*range(first.line, last.line + 1)}:
        text = source.line(number)
        begin = first.column - 1 if number == first.line else len(text) - len(text.lstrip())
        end = last.column - 1 if number == last.line else len(text)
        yield number, begin, max(end, begin + 1)


def _line(source: Source, number: int, marks: list[list[Any]]) -> list[Any]:
    """The number of a line, its text and its marks; a long line is cut around the first mark."""
    text = source.line(number)
    if len(text) <= MAX_LINE:
        return [number, text, sorted(marks)]
    left = max(0, min((mark[0] for mark in marks), default=0) - MAX_LINE // 3)
    cut = ("…" if left else "") + text[left : left + MAX_LINE] + ("…" if left + MAX_LINE < len(text) else "")
    shift = left - (1 if left else 0)
    moved = [
        [min(begin - shift, len(cut) - 1), min(end - shift, len(cut)), style, message]
        for begin, end, style, message in marks
    ]
    return [number, cut, sorted(moved)]


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
    missing = {aspect.name: {(gap.name, gap.path, gap.line) for gap in aspect.missing} for aspect in coverage}
    return {
        "scenarios": [scenario_object(result) for _, result in played],
        "not_played": len(sources.scenarios) - len(played),
        "coverage": [
            {
                "name": aspect.name,
                "words": aspect.title,
                **aspect_object(replace(aspect, missing=aspect.missing[:MAX_MISSING])),
            }
            for aspect in coverage
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
        place = SymbolicLocation(origin.place.node, origin.place.path, (start, end))
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
IN_OVERVIEW = ("findings", "changes")
"""The sections that the overview has something of."""


def build_sections(sources: PageSources) -> Iterator[tuple[str, PackedSection]]:
    """Every section that the page has, the overview last; of large ones, none is kept while the next one is made."""
    present: dict[str, Section] = {}
    for name, build in SECTIONS.items():
        section = build(sources)
        forget_places()  # of the last files that the section named
        if section is not None:
            present[name] = section if name in IN_OVERVIEW else {}
            packed = PackedSection(section if name in IN_OVERVIEW else _released(section))
            del section
            yield name, packed
            del packed
    yield "overview", PackedSection(overview_section(sources, present))


def _released(section: Section) -> Section:
    """The same section, whose lists give their items away."""

    def items(values: list[Any]) -> Iterator[Any]:
        values.reverse()
        while values:
            yield values.pop()

    return {key: items(value) if isinstance(value, list) else value for key, value in section.items()}


def overview_section(sources: PageSources, others: Mapping[str, Any]) -> Section:
    """What the other sections say in short; `others` has those of `IN_OVERVIEW`, and the names of all on the page."""
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
        "at": format_timestamp(sources.now),
        "pages": ["overview", *others],
        "counts": [[number, noun if number == 1 else f"{noun}s", page] for number, noun, page in counts],
        "findings": {
            "severities": findings["severities"],
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
