"""Lints one resource: reports misfits, then walks the model once and calls every check planned for its nodes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import Finding, Path, SymbolicLocation
from trialrun.lint import positions, registry
from trialrun.lint.diagnostic_sink import DiagnosticSink
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import Context, Prefilter, Rule, declaration, subject_names, wants_context
from trialrun.lint.selection import Selection
from trialrun.model.node import Node, message_fields, text_formats
from trialrun.parser import Document

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.lint.policy.activation import FieldMask, MessageViews, PolicyGatherer
    from trialrun.lint.policy.evaluate import PolicyEvaluator
    from trialrun.lint.policy.policy import Policy
    from trialrun.model.misfit import Misfit
    from trialrun.model.validated import ValidatedModel


Call = tuple[Rule, Callable[..., Iterator[Any]], Mapping[str, Any] | None]
"""A rule, one of its functions, and its options if the function takes the context, otherwise None."""
CallGroup = tuple[Prefilter | None, Mapping[str, Any] | None, tuple[Call, ...]]
"""Calls with their prefilter, if they have one, and its options if it takes the context, otherwise None."""

LOADED_ON_DEMAND = frozenset(
    {
        "syntax-error", "encoding-error", "duplicate-key", "resource-limit", "ambiguous-scalar", "tagged-value",
        "unknown-kind", "unreadable-file", "internal-error", "unknown-field", "wrong-type", "missing-field",
        "unknown-enum-value", "unspecified-enum-value", "null-value", "out-of-range", "too-long", "non-canonical-form",
        "union-conflict", "deceptive-text", "unused-suppression", "expired-suppression", "unexplained-suppression",
        "unknown-rule",
    }
)  # fmt: skip
"""Rules about parse errors, misfits and suppressions, which are imported when the first one occurs."""
ALSO_ON_PARTS = {"Menu": "missing-field"}
"""By kind, one of these rules that checks parts of such a document too."""

GROUPS_OF_KIND = {"FeatureView": ("document", "feature_view"), "ChannelConfig": ("document", "channel_config")}


class NodePlan(NamedTuple):
    """The plan for nodes of one type: checks to call, policies to evaluate, and fields to descend into."""

    groups: tuple[CallGroup, ...]
    gatherers: tuple[Call, ...]
    children: tuple[tuple[str, bool], ...]
    policies: tuple[PolicyEvaluator, ...] = ()
    policy_gatherers: tuple[PolicyGatherer, ...] = ()
    has_more_than_calls: bool = False

    @property
    def is_leaf(self) -> bool:
        """Whether there is nothing to do here or below."""
        return not (self.groups or self.has_more_than_calls or self.children)


class VisitPlan:
    """The checks for one kind of document under one selection, by node type; `day` is that of the run."""

    def __init__(self, kind: str, selection: Selection, day: datetime) -> None:
        self._calls: dict[str, list[Call]] = {}
        self._gatherers: dict[str, list[Call]] = {}
        self.node_plans: dict[type[Node], NodePlan] = {}
        """The plans built so far."""
        self._selection, self._day = selection, day
        self._of_workspace = [
            (policy, selection.policies.rules[policy.id])
            for policy in selection.policies.all
            if policy.scope == "workspace" and policy.id in selection.rules | selection.gathered_rules
        ]
        self._masks: dict[str, FieldMask] = {}
        for rule in _rules_for_kind(kind, selection):
            _add_calls(self._calls, rule, rule.checks, selection)
            _add_calls(self._gatherers, rule, rule.gatherers, selection)

    def node_plan(self, node_type: type[Node]) -> NodePlan:
        """The plan for a node type."""
        plan = self.node_plans.get(node_type)
        if plan is None:
            plan = self.node_plans[node_type] = self._build(node_type)
        return plan

    def _build(self, node_type: type[Node]) -> NodePlan:
        down = [
            (name, listed) for name, listed, inner in message_fields(node_type) if not self.node_plan(inner).is_leaf
        ]
        name = node_type.__name__
        subjects = (name, *text_formats(node_type))
        calls, gatherers = _calls_for(self._calls, subjects), _calls_for(self._gatherers, subjects)
        evaluators = tuple(_policy_evaluators(name, self._selection, self._day))
        policy_gatherers = tuple(self._policy_gatherers(name))
        has_more_than_calls = bool(gatherers or evaluators or policy_gatherers)
        return NodePlan(
            tuple(_groups(calls)), gatherers, tuple(down), evaluators, policy_gatherers, has_more_than_calls
        )

    def _policy_gatherers(self, name: str) -> Iterator[PolicyGatherer]:
        """What gathers facts of policies from messages of a type."""
        if self._of_workspace:
            from trialrun.lint.policy.activation import policy_gatherers

            yield from policy_gatherers(name, self._of_workspace, self._masks)


def _rules_for_kind(kind: str, selection: Selection) -> Iterator[Rule]:
    """The selected rules that check parts of a kind of document."""
    groups = (*GROUPS_OF_KIND.get(kind, registry.GROUPS), "workspace")
    for rule_id, (group, _) in registry.files().items():
        runs = rule_id in selection.rules or rule_id in selection.gathered_rules
        if group in groups and runs and (rule_id not in LOADED_ON_DEMAND or ALSO_ON_PARTS.get(kind) == rule_id):
            yield registry.load(rule_id)


def _policy_evaluators(name: str, selection: Selection, day: datetime) -> Iterator[PolicyEvaluator]:
    """Evaluators of the selected policies on a message type; policies that share little with others are separate.

    One that reads whole messages would cause them to be copied for the others, and results for equal messages can only
    be cached without what distinguishes documents. One with variables or functions of its own stands alone.
    """
    selected = [
        policy
        for policy in selection.policies.all
        if policy.on == name and policy.id in selection.rules and policy.scope == "document"
    ]
    if not selected:
        return
    from trialrun.lint.policy.evaluate import PolicyEvaluator, run_variables

    sorts: dict[tuple[bool, bool], list[tuple[Policy, Rule]]] = {}
    for policy in selected:
        judged = (policy, selection.policies.rules[policy.id])
        if policy.stands_alone:
            yield PolicyEvaluator([judged], run_variables(policy, day, selection.parameters(policy.id)))
        else:
            sort = (policy.reads.whole_messages, policy.reads.variables <= {"self"})
            sorts.setdefault(sort, []).append(judged)
    for together in sorts.values():
        yield PolicyEvaluator(together)


def _calls_for(table: dict[str, list[Call]], subjects: Iterable[str]) -> tuple[Call, ...]:
    """The calls for the subjects of a message, without duplicates."""
    return tuple({(call[0].id, call[1]): call for subject in subjects for call in table.get(subject, ())}.values())


def _groups(calls: Iterable[Call]) -> Iterator[CallGroup]:
    """The calls by prefilter, and by options for one that takes the context; those without a prefilter come first."""
    groups: list[tuple[Prefilter | None, Mapping[str, Any] | None, list[Call]]] = [(None, None, [])]
    for call in calls:
        prefilter = declaration(call[1]).prefilter
        options = (call[2] or {}) if prefilter is not None and wants_context(prefilter) else None
        same = [group for group in groups if group[0] is prefilter and group[1] == options]
        if same:
            same[0][2].append(call)
        else:
            groups.append((prefilter, options, [call]))
    return ((prefilter, options, tuple(together)) for prefilter, options, together in groups if together)


def _add_calls(
    table: dict[str, list[Call]], rule: Rule, functions: tuple[Callable[..., Any], ...], selection: Selection
) -> None:
    for function in functions:
        options = selection.options(rule) if wants_context(function) else None
        for name in subject_names(function):
            table.setdefault(name, []).append((rule, function, options))


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
            for rule, finding, is_failure in evaluator.evaluate(node, self._message_views(evaluator), failed):
                if not is_failure:
                    self._report(rule, finding)
                elif rule.id not in failed:
                    failed.add(rule.id)
                    self.sink.add_failure(finding, self.document, self.validated.path)
        except Exception as error:  # noqa: BLE001 - an internal error here must not hide the findings of the rules
            self.sink.add_internal_error("policies", error)

    def _gather_for_policy(self, gatherer: PolicyGatherer, node: Node) -> None:
        """Gather what a policy on the workspace reads of a message."""
        path = self.sink.parsed.source.path
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
            from trialrun.lint.policy.policy import WorkBudget

            kind = type(self.validated.node).__name__
            attributes = {"path": self.sink.policy_path, "kind": kind, "name": self.name}
            budget = self.sink.policy_work = self.sink.policy_work or WorkBudget.of_file(
                len(self.sink.parsed.source.text)
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
        if not self.nulls or rule.id not in EXPECTED_FIELDS:
            return False
        message = self.validated.path(SymbolicLocation(finding.location.node))
        return any((*message, *name.split("/")) in self.nulls for name in EXPECTED_FIELDS[rule.id])

    def _may_be_unread(self, path: Path) -> bool:
        """Whether something that is missing around a path may be on a line that could not be read.

        Such a line is inside the mapping, or directly before or after it, since it may have been its first or last
        line.
        """
        if not self.unread:
            return False
        is_mapping = isinstance(positions.find_value(self.document.value, path), dict)
        source = self.sink.parsed.source
        mapping = path if is_mapping or not path else path[:-1]
        mapping_range = positions.range_of(source, self.document.span(mapping))
        key = self.document.key_span(mapping)
        first_line = source.position(key.start).line if key else mapping_range.start.line - 1
        next_unread = bisect_left(self.unread, first_line)
        return not path or (next_unread < len(self.unread) and self.unread[next_unread] <= mapping_range.end.line + 1)

    def _gather(self, call: Call, node: Node, context: Context) -> None:
        rule, gatherer, options = call
        path = self.sink.parsed.source.path
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
