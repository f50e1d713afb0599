"""Reports of plans: text for people, JSON for programs, Markdown for a review comment, annotations for GitHub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import cast

from trialrun.changes.change import Level, Plan
from trialrun.report.summary import pluralize

FORMATS = ("text", "json", "markdown", "github")
FOR_PEOPLE = ("text",)
Report = Callable[..., Iterator[str]]


def load_report(name: str) -> Report:
    """The report of a format: a function of a plan, whether to use color, and the width of a line."""
    return cast(Report, import_module(f"trialrun.changes.report.plan_{name}").report)


def summary_text(plan: Plan) -> str:
    """The summary of a plan in one line."""
    counts = [f"{plan.count(level)} {level.word}" for level in sorted(Level, reverse=True)]
    if not plan.changes:
        return f"no changes between {plan.base} and {plan.head}{_moved(plan)}"
    return f"{', '.join(counts)}: {pluralize(len(plan.changes), 'change')} between {plan.base} and {plan.head}"


def _moved(plan: Plan) -> str:
    return f"; {pluralize(plan.resources.moved, 'resource')} in other files" if plan.resources.moved else ""


def resources_text(plan: Plan) -> str:
    """How many resources were added, changed, removed and moved."""
    resources = plan.resources
    counts = {
        "added": resources.added,
        "changed": resources.changed,
        "removed": resources.removed,
        "moved": resources.moved,
    }
    return ", ".join(f"{number} {word}" for word, number in counts.items() if number)
