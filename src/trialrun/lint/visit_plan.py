"""Plans of the visitor: which checks run on which node types, and which subtrees can be skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint import registry
from trialrun.lint.rule import Prefilter, Rule, declaration, subject_names, wants_context
from trialrun.lint.selection import Selection
from trialrun.model.node import Node, message_fields, text_formats

if TYPE_CHECKING:
    from datetime import datetime

    from trialrun.lint.policy.activation import FieldMask
    from trialrun.lint.policy.evaluate import PolicyEvaluator
    from trialrun.lint.policy.policy import Policy
    from trialrun.lint.policy.workspace_facts import PolicyGatherer

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


@dataclass(frozen=True, slots=True)
class NodePlan:
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
            from trialrun.lint.policy.workspace_facts import policy_gatherers

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
