"""Collects the findings of one file as diagnostics with locations; an internal error of a rule is reported once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Finding, Fix, Path, Related, Remove, Severity, SymbolicLocation
from trialrun.lint import positions, registry
from trialrun.lint.file_result import FileResult
from trialrun.lint.rule import Rule
from trialrun.lint.selection import Selection
from trialrun.parser import Document, ParsedFile, ParseError
from trialrun.text import Edit

if TYPE_CHECKING:
    from trialrun.fix.removal_safety import FixBudget, RemovalErrors
    from trialrun.lint.policy.policy import WorkBudget
    from trialrun.model.misfit import Misfit
    from trialrun.model.node import Node
    from trialrun.model.validated import ValidatedModel


@dataclass(slots=True)
class DiagnosticSink:
    """Adds findings to the result of a file, with the severities of `selection` and locations in `parsed`.

    `policy_path` is the path of the file for policies; `failed_policies` have failed on this file, and
    `policy_work` is what they may do. The fix budget is
    shared by the fixes of the file, and `removal_errors` prevent removals from a resource. Fixes are ignored without
    `with_fixes`.
    """

    selection: Selection
    parsed: ParsedFile
    file_result: FileResult
    policy_path: str = ""
    failed_policies: set[str] = field(default_factory=set)
    policy_work: WorkBudget | None = None
    fix_budget: FixBudget | None = None
    with_fixes: bool = True
    removal_errors: dict[int, tuple[Document, ValidatedModel | None, RemovalErrors]] = field(default_factory=dict)

    def add(
        self,
        rule: Rule,
        finding: Finding,
        document: Document | None,
        *,
        resource: str = "",
        find_path: positions.FindPath = positions.path_from_root,
        validated: ValidatedModel | None = None,
    ) -> None:
        """Locate a finding and add its diagnostic; `validated` is the resource that it is about, if any."""
        is_name = rule.id == "unfilled-placeholder" and finding.location.path == ("name",)
        if document is not None and document.address and is_name and finding.message.startswith("${"):
            return  # a placeholder in a name of Terraform is an expression, which Terraform fills in
        if finding.fix is not None and not self.with_fixes:
            finding = finding._replace(fix=None)
        try:
            self.file_result.diagnostics.append(
                positions.to_diagnostic(
                    finding,
                    rule=rule.id,
                    severity=self.selection.severity(rule, finding),
                    source=self.parsed.source,
                    document=document,
                    find_path=find_path,
                    resource=resource,
                    budget=self._get_fix_budget(finding),
                    removal_errors=self._get_removal_errors(finding, document, validated),
                )
            )
        except Exception as error:  # noqa: BLE001 - a place that cannot be found must not hide the other findings
            self.add_internal_error(rule.id, error)

    def _get_fix_budget(self, finding: Finding) -> FixBudget | None:
        """The fix budget of the file, created for the first finding with a fix."""
        if finding.fix is not None and self.fix_budget is None:
            from trialrun.fix.removal_safety import FixBudget

            self.fix_budget = FixBudget()
        return self.fix_budget

    def _get_removal_errors(
        self, finding: Finding, document: Document | None, fitted: ValidatedModel | None
    ) -> RemovalErrors | None:
        """The errors that prevent a removal; None for a finding whose fix removes nothing."""
        operations = finding.fix.operations if finding.fix else ()
        if document is None or not any(isinstance(operation, Remove) for operation in operations):
            return None
        known = self.removal_errors.get(id(fitted))
        if known is None or known[0] is not document:
            known = document, fitted, removal_errors(self.parsed, document, fitted)
            self.removal_errors[id(fitted)] = known
        return known[2]

    def run_named_rule(
        self,
        rule_id: str,
        subject: Any,
        document: Document | None,
        *,
        resource: str = "",
        validated: ValidatedModel | None = None,
    ) -> None:
        """Report a subject that is not a part of a model, such as a misfit, with the rule of this name."""
        if rule_id not in self.selection.rules:
            return
        rule = registry.load(rule_id)
        name = type(subject).__name__
        for check in rule.checks:
            if name in registry.subject_names_of(check):
                for finding in self.run_check(rule, check, subject):
                    self.add(rule, finding, document, resource=resource, validated=validated)

    def run_check(self, rule: Rule, check: Callable[..., Iterator[Any]], *arguments: Any) -> list[Any]:
        """The results of a check; an exception becomes one `internal-error`."""
        try:
            return list(check(*arguments))
        except Exception as error:  # noqa: BLE001 - a fault in one rule must not hide the findings of the others
            self.add_internal_error(rule.id, error)
            return []

    def add_internal_error(self, rule_id: str, error: Exception) -> None:
        """Report an internal error of a rule."""
        self.add_failure(internal_error(rule_id, error))

    def add_failure(
        self,
        finding: Finding,
        document: Document | None = None,
        find_path: positions.FindPath = positions.path_from_root,
    ) -> None:
        """Report that a rule failed, or that a policy could not be evaluated."""
        self.file_result.has_internal_error = True
        diagnostic = positions.to_diagnostic(
            finding,
            rule="internal-error",
            severity=Severity.ERROR,
            source=self.parsed.source,
            document=document,
            find_path=find_path,
        )
        self.file_result.diagnostics.append(diagnostic)


def internal_error(rule_id: str, error: Exception) -> Finding:
    """The finding for an internal error, with how to report it."""
    what = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return Finding(
        f"the rule {rule_id} failed on this file ({what}); please report it with the file",
        SymbolicLocation(None),
        help="leave the rule out with --ignore " + rule_id + " until it is fixed",
    )


UNREAD_TEXT_RULES = ("syntax-error", "resource-limit")
"""Parse errors that skip lines, or continue with a guess."""
SINGLE_VALUE_RULES = ("duplicate-key", "tagged-value")
"""Parse errors about a single value that was read."""
MISPLACED_RULES = ("unknown-field", "duplicate-key")
COMMON_FIELDS = frozenset({"name", "displayName", "description", "type", "disabled", "priority"})
"""Fields that other messages may have, too."""
VALUE_KEPT_RULES = ("non-canonical-form",)
"""Misfits whose value is kept."""


def removal_errors(parsed: ParsedFile, document: Document, fitted: ValidatedModel | None) -> RemovalErrors:
    """The errors of a document that affect removals, and those of the resource in it."""
    from trialrun.fix.removal_safety import RemovalErrors, index_by_ancestors

    errors = [error for error in parsed.errors if error.document == document.index]
    misfits = fitted.misfits if fitted else []
    repeated = (error.path for error in errors if error.rule in SINGLE_VALUE_RULES and error.path is not None)
    misplaced = (misfit.path for misfit in misfits if _is_misplaced(misfit))
    strays = _stray_fields(document, fitted) if fitted else ()
    return RemovalErrors(
        any(error.rule in UNREAD_TEXT_RULES for error in errors),
        index_by_ancestors((*repeated, *misplaced, *strays)),
        index_by_ancestors(misfit.path for misfit in misfits if misfit.rule not in VALUE_KEPT_RULES),
    )


def _is_misplaced(misfit: Misfit) -> bool:
    """Whether a misfit is about a key or value in the wrong place."""
    if misfit.rule == "wrong-type":
        return isinstance(misfit.path[-1] if misfit.path else "", int) or isinstance(
            getattr(misfit, "value", None), dict | list
        )
    return misfit.rule in MISPLACED_RULES


def _stray_fields(document: Document, fitted: ValidatedModel) -> Iterator[Path]:
    """Fields of the resource inside of messages with arbitrary keys, where no other rule reports them."""
    from trialrun.model.node import fields_of_mode

    model = type(fitted.node)
    for name in fields_of_mode(model, "output only") & fitted.node.model_fields_set:
        path = fitted.path(fitted.node.location(name))
        value = positions.find_value(document.value, path)
        if isinstance(value, list):
            yield from _keys_below(value, _fields_below(model), path)


@cache
def _fields_below(model: type[Node]) -> frozenset[str]:
    """The names of nested fields of a resource, except for names that other messages may have."""
    from trialrun.model.node import message_fields

    names: set[str] = set()
    seen: set[type[Node]] = set()
    waiting = [model]
    while waiting:
        inner = [(name, part) for name, _, part in message_fields(waiting.pop()) if part not in seen]
        names.update(name for name, _ in inner)
        for _, part in inner:
            names.update(part.model_fields)
        seen.update(part for _, part in inner)
        waiting += {part for _, part in inner}
    return frozenset(_normalize(name) for name in names - COMMON_FIELDS)


def _keys_below(value: Any, wanted: Collection[str], path: Path) -> Iterator[Path]:
    """The paths of the wanted keys at any depth, but not below other wanted keys."""
    waiting: list[tuple[Any, Path]] = [(value, path)]
    while waiting:
        node, here = waiting.pop()
        steps = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
        for step, entry in steps:
            if isinstance(step, str) and _normalize(step) in wanted:
                yield (*here, step)
            else:
                waiting.append((entry, (*here, step)))


def _normalize(key: str) -> str:
    """The first word of a key without case and separators."""
    return key.partition(" ")[0].replace("_", "").replace("-", "").lower()


EARLIER = "the earlier one"


def to_finding(parse_error: ParseError) -> Finding:
    """The finding for a parse error."""
    fix, new = None, parse_error.replacement
    if new is not None:
        from trialrun.parser.parse_error import shorten

        verb = "quote it:" if "quote it" in parse_error.message else "write"
        title = (
            "write one merge key"
            if parse_error.replaced
            else f"{verb} {shorten(new) or 'a space'}"
            if new
            else "remove it"
        )
        fix = Fix(title, (Edit(parse_error.replaced or parse_error.span, new),), parse_error.safe)
    return Finding(
        parse_error.message,
        SymbolicLocation(None, parse_error.path or ()),
        at="key" if parse_error.at_key else "place",
        span=parse_error.span,
        related=tuple(Related(EARLIER, span) for span in parse_error.related),
        fix=fix,
    )
