"""Conditions of CEL upsells, checked once for each text and session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Finding, Fix, Replace, Severity
from trialrun.lint.rule import Context
from trialrun.model.channel_config import CelUpsell, UpsellConfig

if TYPE_CHECKING:
    from trialrun.values import Problem
    from trialrun.values.cel import CheckResult, Node


OPTION = "cel-extensions"
"""The option that names the extension libraries of CEL that the service has."""
NO_EXTENSIONS: dict[str, tuple[str, ...]] = {OPTION: ()}
"""The options of a rule that reads it, with the default: the standard library alone."""
_NONE: frozenset[str] = frozenset()


def enabled_extensions(options: Mapping[str, Any]) -> frozenset[str]:
    """The extension libraries of CEL that options switch on."""
    names = options.get(OPTION)
    return frozenset([names] if isinstance(names, str) else names) if names else _NONE


def check_condition(upsell: CelUpsell, context: Context) -> CheckResult | None:
    """What checking the condition found; None if there is no condition to check."""
    text = upsell.conditionExpression
    return None if text is None else context.check_condition(text, enabled_extensions(context.options))


def valid_condition(upsell: UpsellConfig, context: Context) -> CheckResult | None:
    """The check of an enabled upsell's condition; None if there is none, or where something is wrong with it.

    A condition with a placeholder in one of its texts is still to be written, so nothing follows from what it says.
    """
    if upsell.celUpsell is None or upsell.disabled:
        return None
    check = check_condition(upsell.celUpsell, context)
    return None if check is None or check.problems or _has_placeholder(upsell.celUpsell) else check


def may_have_condition_problem(upsell: CelUpsell, context: Context) -> bool:
    """Whether something may be said about the condition of a CEL upsell."""
    text = upsell.__dict__["conditionExpression"]
    if text is None:
        return False
    return context.check_condition(text, enabled_extensions(context.options)).is_noteworthy


def may_have_noteworthy_condition(upsell: UpsellConfig, context: Context) -> bool:
    """Whether something may be said about the valid condition of an enabled upsell."""
    values = upsell.__dict__
    cel_upsell = values["celUpsell"]
    return cel_upsell is not None and not values["disabled"] and may_have_condition_problem(cel_upsell, context)


def condition_tree(upsell: CelUpsell, check_result: CheckResult) -> Node | None:
    """The syntax tree of a checked condition, which may have no types; None if it has none."""
    if check_result.tree is not None or check_result.key is None:
        return check_result.tree
    return _untyped_tree(upsell.conditionExpression or "")


@lru_cache(maxsize=512)
def _untyped_tree(text: str) -> Node | None:
    from trialrun.values.cel.parse import parse

    return parse(text).tree


def _has_placeholder(upsell: CelUpsell) -> bool:
    text = upsell.conditionExpression or ""
    if "{" not in text and "$" not in text:
        return False
    from trialrun.lint.rule_support.texts import has_placeholder

    return has_placeholder(text)


def condition_problems(upsell: CelUpsell, context: Context, *codes: str) -> Iterator[Problem]:
    """The problems of a condition under some of the codes of `values.cel`."""
    check = check_condition(upsell, context)
    if check is not None:
        yield from (problem for problem in check.problems if problem.code in codes)


def to_finding(upsell: CelUpsell, problem: Problem, severity: Severity | None = None) -> Finding:
    """A finding at the characters of a problem, with its replacement as a fix that a person should look at."""
    chars = (problem.start, problem.end)
    fix = None
    if problem.replacement is not None:
        title = f"write {problem.replacement}" if problem.replacement else "remove it"
        place = upsell.location("conditionExpression")
        fix = Fix(title, (Replace(place, problem.replacement, problem.replaced_range or chars),))
    return upsell.finding("conditionExpression", problem.message, chars=chars, severity=severity, fix=fix)
