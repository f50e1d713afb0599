"""One resource: what fits no model is told, then one walk over the model calls every check."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from trialrun.diagnostic import Finding, Path, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.lint.diagnostic_sink import DiagnosticSink
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Context, Rule
from trialrun.lint.visit_plan import Call, VisitPlan
from trialrun.parser import Document

if TYPE_CHECKING:
    from trialrun.lint.policy.activation import MessageViews
    from trialrun.lint.policy.evaluate import PolicyEvaluator
    from trialrun.model.misfit import Misfit
    from trialrun.model.node import Node
    from trialrun.model.validated import ValidatedModel

MASKING_PARSE_ERRORS = ("duplicate-key", "tagged-value", "syntax-error")
"""What is said of the same value follows from these; the keys and items inside it are judged on their own."""
MASKING_MISFITS = ("wrong-type", "unknown-enum-value", "unknown-field", "non-canonical-form")
"""A remark on how the scalar reads, at the same place or below it, says nothing beside these."""
ABSENCE_MISFITS = ("missing-field", "null-value")
"""Misfits that rest on something not being there: not told where a line nearby could not be read."""


OUTPUT_ONLY_RULE = "output-only-field"
"""The rule whose fix removes a field, so that nothing else is said of what stands in it."""
EXPECTED_FIELDS: Mapping[str, tuple[str, ...]] = {
    "missing-name": ("name",),
    "missing-etag": ("etag",),
    "missing-default-language": ("defaultLanguageCode",),
    "empty-greeting": ("languageCode", "greetingPhrases"),
    "empty-sync-config": ("cron", "continuous"),
    "no-upsold-items": ("upsoldItems", "upsoldItemIds"),
    "no-source": ("warehouseSource", "featureRegistrySource", "ragSource"),
    "sync-without-source": ("warehouseSource", "featureRegistrySource", "ragSource"),
    "frequency-never-used": ("messageFrequency",),
}
"""By rule, the fields of a message that it misses: where the key of one stands with null, `null-value` says so."""


@dataclass(slots=True)
class ResourceVisitor:
    """One resource on its way through the rules; `unread` are the lines of its document that could not be read,
    in order, `silenced` the places of which the reading has told what is wrong.

    `views` is its model as policies see it, by the identity of their judge.
    """

    sink: DiagnosticSink
    document: Document
    name: str
    validated: ValidatedModel
    unread: Sequence[int]
    masked: Collection[Path]
    views: dict[int, MessageViews] = field(default_factory=dict)
    hidden: Collection[Path] = ()
    nulls: Collection[Path] = ()

    def __post_init__(self) -> None:
        if OUTPUT_ONLY_RULE in self.sink.selection.rules:
            self.hidden = _output_only_paths(self.validated)

    def report_misfits(self) -> list[Path]:
        """Tell what fits no model; the places of those misfits that silence remarks of the reading."""
        refused: list[Path] = [*self.hidden]
        if "null-value" in self.sink.selection.rules:
            self.nulls = {misfit.path for misfit in self.validated.misfits if misfit.rule == "null-value"}
        for misfit in self.validated.misfits:
            if self.hidden and is_under(misfit.path, self.hidden):
                continue
            if misfit.rule in MASKING_MISFITS and not _concerns_key_only(misfit):
                refused.append(misfit.path)
            lost = misfit.rule in ABSENCE_MISFITS and self._may_be_unread(misfit.path)
            if not lost and misfit.path not in self.masked:
                self.sink.run_named_rule(
                    misfit.rule, misfit, self.document, resource=self.name, validated=self.validated
                )
        return refused

    def visit(self, dispatch: VisitPlan, context: Context, go_on: Callable[[], None] = lambda: None) -> None:
        """Call every check on every part of the model that it looks at, and gather the facts.

        `go_on` is called between the parts, and may raise.
        """
        plans = dispatch.node_plans  # looked at first: a call for each part of a file adds up
        stack: list[Node] = [self.validated.node, *(node for node, _ in self.validated.detached)]
        while stack:
            go_on()
            node = stack.pop()
            stop = plans.get(node.__class__) or dispatch.node_plan(node.__class__)
            for rule, check, options in stop.calls:
                try:
                    if options is None:
                        for finding in check(node):
                            self._report(rule, finding)
                    else:
                        context.options = options
                        for finding in check(node, context):
                            self._report(rule, finding)
                except Exception as error:  # noqa: BLE001 - one rule's fault must not hide the others' findings
                    self.sink.add_internal_error(rule.id, error)
            for call in stop.gatherers:
                self._gather(call, node, context)
            for judge in stop.policies:
                self._run_policies(judge, node)
            values = node.__dict__
            for name, listed in stop.children:
                inner = values[name]
                if inner is not None:
                    stack.extend(inner) if listed else stack.append(inner)

    def _run_policies(self, judge: PolicyEvaluator, node: Node) -> None:
        """Tell what the policies on a message say of it, and once in a file that one of them failed."""
        failed = self.sink.failed_policies
        try:
            for policy_failure in judge.evaluate(node, self._message_views(judge), failed):
                if isinstance(policy_failure, tuple):
                    self._report(*policy_failure)
                elif policy_failure.policy.id not in failed:
                    failed.add(policy_failure.policy.id)
                    self.sink.add_policy_failure(policy_failure.finding(node), self.document, self.validated.path)
        except Exception as error:  # noqa: BLE001 - a fault of ours here must not hide the findings of the rules
            self.sink.add_internal_error("policies", error)

    def _message_views(self, judge: PolicyEvaluator) -> MessageViews:
        found = self.views.get(id(judge))
        if found is None:
            from trialrun.lint.policy.activation import MessageViews

            kind = type(self.validated.node).__name__
            about = {"path": self.sink.policy_path, "kind": kind, "name": self.name}
            found = self.views[id(judge)] = MessageViews(self.validated.node, about, judge.field_mask)
        return found

    def _report(self, rule: Rule, finding: Finding) -> None:
        if (
            rule.rests_on_absence
            and self.unread
            and self._may_be_unread(self.validated.path(SymbolicLocation(finding.location.node)))
        ):
            return
        if self.masked and self.validated.path(finding.location) in self.masked:
            return
        if self.hidden and rule.id != OUTPUT_ONLY_RULE and is_under(self.validated.path(finding.location), self.hidden):
            return
        if self.nulls and rule.id in EXPECTED_FIELDS and self._is_null(EXPECTED_FIELDS[rule.id], finding):
            return
        where = self.validated.path
        self.sink.add(rule, finding, self.document, resource=self.name, find_path=where, validated=self.validated)

    def _is_null(self, fields: tuple[str, ...], finding: Finding) -> bool:
        """Whether one of the fields stands with null in the message that a finding is about."""
        message = self.validated.path(SymbolicLocation(finding.location.node))
        return any((*message, name) in self.nulls for name in fields)

    def _may_be_unread(self, path: Path) -> bool:
        """Whether what is missing around a path may stand on a line that could not be read.

        Such a line is inside the mapping concerned, or beside it: then it may have been its first or its last.
        """
        if not self.unread:
            return False
        is_mapping = isinstance(positions.find_value(self.document.value, path), dict)
        source = self.sink.tree.source
        mapping = path if is_mapping or not path else path[:-1]
        where = positions.range_of(source, self.document.span(mapping))
        key = self.document.key_span(mapping)
        first = source.position(key.start).line if key else where.start.line - 1
        after = bisect_left(self.unread, first)
        return not path or (after < len(self.unread) and self.unread[after] <= where.end.line + 1)

    def _gather(self, call: Call, node: Node, context: Context) -> None:
        rule, gatherer, options = call
        path = self.sink.tree.source.path
        context.options = options or {}
        arguments = (node,) if options is None else (node, context)
        for place, value in self.sink.run_check(rule, gatherer, *arguments):
            steps = self.validated.path(place)
            fact = Fact(rule.id, value, path, self.document.index, steps, self.name, not self.unread)
            self.sink.file_result.facts.append(fact)


def _concerns_key_only(misfit: Misfit) -> bool:
    """Whether a misfit is about a key alone, so that what is said of the value does not follow from it."""
    return bool(getattr(misfit, "is_key", False) or getattr(misfit, "is_read", False) or getattr(misfit, "union", None))


def _output_only_paths(fitted: ValidatedModel) -> frozenset[Path]:
    """The places of fields that only the service sets."""
    from trialrun.model.node import fields_of_mode

    node = fitted.node
    names = fields_of_mode(type(node), "output only") & node.model_fields_set
    return frozenset(fitted.path(node.location(name)) for name in names)


def is_under(path: Path, places: Collection[Path]) -> bool:
    """Whether a path leads to one of the places or to something below it; quick for a set of them."""
    return bool(places) and any(path[:length] in places for length in range(len(path) + 1))
