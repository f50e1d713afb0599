"""Lints one resource: reports misfits, then walks the model once and calls every check."""

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
from trialrun.lint.visit_plan import Call, NodePlan, VisitPlan
from trialrun.parser import Document

if TYPE_CHECKING:
    from trialrun.lint.policy.activation import MessageViews
    from trialrun.lint.policy.evaluate import PolicyEvaluator
    from trialrun.lint.policy.workspace_facts import PolicyGatherer
    from trialrun.model.misfit import Misfit
    from trialrun.model.node import Node
    from trialrun.model.validated import ValidatedModel

MASKING_PARSE_ERRORS = ("duplicate-key", "tagged-value", "syntax-error")
"""Parse errors of which other findings about the same value are consequences; its keys and items are still checked."""
MASKING_MISFITS = ("wrong-type", "unknown-enum-value", "unknown-field", "non-canonical-form")
"""Misfits that make findings about the style of the same scalar redundant."""
ABSENCE_MISFITS = ("missing-field", "null-value")
"""Misfits that report something missing; not reported if a line nearby could not be read."""


OUTPUT_ONLY_RULE = "output-only-field"
"""The rule whose fix removes a field; nothing else is reported inside such a field."""
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
    "type-content-mismatch": ("operationsConfig", "operationsConfig/upsellStrategy"),
}
"""By rule, the fields whose absence it reports; if one of these keys is null, only `null-value` is reported."""


@dataclass(slots=True)
class ResourceVisitor:
    """Lints one resource.

    `unread` are the sorted lines of its document that could not be read; `masked` are the paths that have a parse error
    already; `views` is the model as policies see it, by the identity of the policy evaluator.
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
        """Report misfits; returns the paths where findings about the style of scalars are redundant."""
        refused: list[Path] = [*self.hidden]
        if "null-value" in self.sink.selection.rules:
            self.nulls = {misfit.path for misfit in self.validated.misfits if misfit.rule == "null-value"}
        for misfit in self.validated.misfits:
            if self.hidden and is_under(misfit.path, self.hidden):
                continue
            if misfit.rule in MASKING_MISFITS and not _concerns_key_only(misfit):
                refused.append(misfit.path)
            may_be_unread = misfit.rule in ABSENCE_MISFITS and self._may_be_unread(misfit.path)
            if not may_be_unread and misfit.path not in self.masked:
                subject = misfit.with_spelling(self.document.scalar_text)
                self.sink.run_named_rule(
                    misfit.rule, subject, self.document, resource=self.name, validated=self.validated
                )
        return refused

    def visit(
        self, visit_plan: VisitPlan, context: Context, check_cancelled: Callable[[], None] = lambda: None
    ) -> None:
        """Run every check on the nodes of its subject, and gather facts.

        `check_cancelled` is called before each node with others inside of it, and may raise.
        """
        plans = visit_plan.node_plans  # local variable for speed: this loop runs for every node of a file
        stack: list[Node] = [self.validated.node, *(node for node, _ in self.validated.detached)]
        while stack:
            node = stack.pop()
            plan = plans.get(node.__class__) or visit_plan.node_plan(node.__class__)
            if plan.children:
                check_cancelled()
            for prefilter, prefilter_options, calls in plan.groups:
                if prefilter is not None:
                    try:
                        if prefilter_options is None:
                            if not prefilter(node):
                                continue
                        else:
                            context.options = prefilter_options
                            if not prefilter(node, context):
                                continue
                    except Exception:  # noqa: BLE001 - the checks fail in the same way, and say which of them
                        pass
                for rule, check, options in calls:
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
            if plan.has_more_than_calls:
                self._gather_and_run_policies(plan, node, context)
            if plan.children:
                values = node.__dict__
                for name, is_list in plan.children:
                    child = values[name]
                    if child is not None:
                        stack.extend(child) if is_list else stack.append(child)

    def _gather_and_run_policies(self, plan: NodePlan, node: Node, context: Context) -> None:
        """What is to be done with few types of messages besides checks: gather facts, and run policies."""
        for call in plan.gatherers:
            self._gather(call, node, context)
        for evaluator in plan.policies:
            self._run_policies(evaluator, node)
        for gatherer in plan.policy_gatherers:
            self._gather_for_policy(gatherer, node)

    def _run_policies(self, evaluator: PolicyEvaluator, node: Node) -> None:
        """Report the findings of policies; a policy that fails is reported once per file."""
        failed = self.sink.failed_policies
        self.sink.file_result.uses_date |= evaluator.uses_date
        try:
            for result in evaluator.evaluate(node, self._message_views(evaluator), failed):
                if isinstance(result, tuple):
                    self._report(*result)
                elif result.policy.id not in failed:
                    failed.add(result.policy.id)
                    self.sink.add_policy_failure(result.finding(node), self.document, self.validated.path)
        except Exception as error:  # noqa: BLE001 - an internal error here must not hide the findings of the rules
            self.sink.add_internal_error("policies", error)

    def _gather_for_policy(self, gatherer: PolicyGatherer, node: Node) -> None:
        """Gather what a policy on the workspace reads of a message."""
        path = self.sink.tree.source.path
        try:
            for place, value in gatherer.facts(node, self._message_views(gatherer)):
                finding = Finding("", place)
                if not gatherer.is_message(value) or not self._is_redundant(gatherer.rule, finding):
                    steps = self.validated.path(place)
                    fact = Fact(gatherer.policy.id, value, path, self.document.index, steps, self.name, not self.unread)
                    self.sink.file_result.facts.append(fact)
        except Exception as error:  # noqa: BLE001 - an internal error here must not hide the findings of the rules
            self.sink.add_internal_error("policies", error)

    def _message_views(self, evaluator: PolicyEvaluator | PolicyGatherer) -> MessageViews:
        views = self.views.get(id(evaluator))
        if views is None:
            from trialrun.lint.policy.activation import MessageViews
            from trialrun.lint.policy.work_budget import WorkBudget

            kind = type(self.validated.node).__name__
            attributes = {"path": self.sink.policy_path, "kind": kind, "name": self.name}
            budget = self.sink.policy_work = self.sink.policy_work or WorkBudget.of_file(
                len(self.sink.tree.source.text)
            )
            views = MessageViews(self.validated.node, attributes, evaluator.field_mask, budget)
            self.views[id(evaluator)] = views
        return views

    def _report(self, rule: Rule, finding: Finding) -> None:
        if self._is_redundant(rule, finding):
            return
        find_path = self.validated.path
        self.sink.add(rule, finding, self.document, resource=self.name, find_path=find_path, validated=self.validated)

    def _is_redundant(self, rule: Rule, finding: Finding) -> bool:
        """Whether a finding is a consequence of something that is reported already, or that could not be read."""
        if (
            rule.rests_on_absence
            and self.unread
            and self._may_be_unread(self.validated.path(SymbolicLocation(finding.location.node)))
        ):
            return True
        if self.masked and self.validated.path(finding.location) in self.masked:
            return True
        if self.hidden and rule.id != OUTPUT_ONLY_RULE and is_under(self.validated.path(finding.location), self.hidden):
            return True
        return bool(self.nulls) and rule.id in EXPECTED_FIELDS and self._is_null(EXPECTED_FIELDS[rule.id], finding)

    def _is_null(self, fields: tuple[str, ...], finding: Finding) -> bool:
        """Whether one of the fields is null in the message of a finding."""
        message = self.validated.path(SymbolicLocation(finding.location.node))
        return any((*message, *name.split("/")) in self.nulls for name in fields)

    def _may_be_unread(self, path: Path) -> bool:
        """Whether something that is missing around a path may be on a line that could not be read.

        Such a line is inside the mapping, or directly before or after it, since it may have been its first or last
        line.
        """
        if not self.unread:
            return False
        is_mapping = isinstance(positions.find_value(self.document.value, path), dict)
        source = self.sink.tree.source
        mapping = path if is_mapping or not path else path[:-1]
        mapping_range = positions.range_of(source, self.document.span(mapping))
        key = self.document.key_span(mapping)
        first_line = source.position(key.start).line if key else mapping_range.start.line - 1
        next_unread = bisect_left(self.unread, first_line)
        return not path or (next_unread < len(self.unread) and self.unread[next_unread] <= mapping_range.end.line + 1)

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
    """Whether a misfit is about the key only, so that findings about the value are not consequences of it."""
    return bool(getattr(misfit, "is_key", False) or getattr(misfit, "is_read", False) or getattr(misfit, "union", None))


def _output_only_paths(validated: ValidatedModel) -> frozenset[Path]:
    """The paths of output-only fields."""
    from trialrun.model.node import fields_of_mode

    node = validated.node
    names = fields_of_mode(type(node), "output only") & node.model_fields_set
    return frozenset(validated.path(node.location(name)) for name in names)


def is_under(path: Path, places: Collection[Path]) -> bool:
    """Whether a path is equal to or below one of the given paths. Fast if these are a set."""
    return bool(places) and any(path[:length] in places for length in range(len(path) + 1))
