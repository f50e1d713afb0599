"""Evaluates all policies on one message type together, and reports those that fail."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import Any

from trialrun.diagnostic import Diagnostic, Finding, SymbolicLocation
from trialrun.interrupts import defer_interrupts
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.activation import FieldMask, MessageViews, policy_location
from trialrun.lint.policy.parse_policy import NOW
from trialrun.lint.policy.policy import Policy, parameter_values
from trialrun.lint.policy.types import VARIABLES, kinds_by_message
from trialrun.lint.policy.work_budget import TOO_MUCH_WORK, WorkBudget
from trialrun.lint.rule import Rule
from trialrun.model.node import Node
from trialrun.values.cel import CelError
from trialrun.values.cel.batch import (
    CheckBatch,
    DocumentEngine,
    FailedCheck,
    PlainStateEngine,
    StateEngine,
    evaluate_text,
)
from trialrun.values.cel.policy_functions import LIBRARY, is_unreadable


@dataclass(frozen=True, slots=True)
class RunVariables:
    """The variables of a run, with the names of all variables, and the library of functions."""

    names: tuple[str, ...]
    values: Mapping[str, Any]
    library: str = ""


NO_RUN = RunVariables(VARIABLES, {})
"""What policies have that use nothing of the run."""


def run_variables(policy: Policy, day: datetime, given: Mapping[str, Any]) -> RunVariables:
    """The variables of a policy that stands alone; `given` are the values of parameters in the settings."""
    from trialrun.values.cel.evaluate import convert_time

    values: dict[str, Any] = {"now": convert_time(day), NOW: convert_time(day)} if policy.uses_date else {}
    if policy.parameters:
        values["parameters"] = parameter_values(policy.parameters, given)
    return RunVariables((*VARIABLES, "now", NOW, "parameters"), values, LIBRARY)


_FAILED = re.compile(r"the policy (\S+) \(.*:\d+\) failed here: ")


def failure_texts(policy: Policy, error: str) -> tuple[str, str]:
    """The message that reports the failure of a policy, and its help."""
    message = f"the policy {policy.id} ({policy.path}:{policy.line}) failed here: {error}; fix its check"
    return message, f"leave it out with --ignore {policy.id} until it is fixed"


def first_failures(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The diagnostics in order, with only the first failure of each policy."""
    seen: set[str] = set()
    for diagnostic in diagnostics:
        failed = _FAILED.match(diagnostic.message) if diagnostic.rule == "internal-error" else None
        if failed is None or failed[1] not in seen:
            yield diagnostic
        if failed is not None:
            seen.add(failed[1])


MAX_CACHED_BYTES = 2_000
MAX_CACHED_MESSAGES = 20_000
"""Maximum number of cached messages, and of bytes of each."""


@dataclass(frozen=True, slots=True)
class PolicyFailure:
    """A policy that could not be evaluated on a message, with the reason."""

    policy: Policy
    error: str

    def finding(self, node: Node) -> Finding:
        """The finding that reports the failure."""
        message, help_ = failure_texts(self.policy, self.error)
        return Finding(message, SymbolicLocation(node), help=help_)


class PolicyEvaluator:
    """Evaluates some policies on one message type; created once, before workers start.

    `field_mask` is what they read. The messages of a repository are similar, so results for equal messages are cached.
    `run` is the same for all messages: the day, and the values of parameters; only a policy that stands alone has any.
    """

    def __init__(self, judged: Sequence[tuple[Policy, Rule]], run: RunVariables = NO_RUN) -> None:
        self._policies, self._run = judged, run
        self.field_mask = FieldMask(policy.reads for policy, _ in judged)
        self._read_names = tuple(name for name in self.field_mask.variables if name in VARIABLES)
        self.uses_date = any(policy.uses_date for policy, _ in judged)
        self._engine = _state_engine(judged, self.field_mask, run)
        self._batch = CheckBatch([policy.check for policy, _ in judged], self._engine)
        self._indexes = {policy.id: index for index, (policy, _) in enumerate(judged)}
        self._cached: dict[bytes, tuple[FailedCheck, ...]] = {}

    def evaluate(
        self, node: Node, views: MessageViews, failed: Set[str]
    ) -> Sequence[tuple[Rule, Finding] | PolicyFailure]:
        """The findings of the policies for a message; policies in `failed` are skipped."""
        state = {**views.activation(node), **self._run.values}
        read, judged = [state[name] for name in self._read_names], [policy for policy, _ in self._policies]
        refused = [
            policy for policy in judged if policy.id not in failed and not views.budget.spend_evaluation(policy, read)
        ]
        failed = {*failed, *(policy.id for policy in refused)}
        key = None if failed or judged[0].uses_functions else self._key(node, views)
        if key is None:
            untrue = self._evaluate_checks(state, failed, views.budget)
        else:
            untrue = self._cached_checks(key, state, views.budget)
        findings = list(self._findings(untrue, node, views, state)) if untrue else []
        return [*findings, *(PolicyFailure(policy, TOO_MUCH_WORK) for policy in refused)]

    def _key(self, node: Node, views: MessageViews) -> bytes | None:
        """What the result of equal messages is cached by; None for one that is not cached."""
        try:
            key = views.key(node, self._read_names)
        except ValueError:
            return None
        return key if len(key) <= MAX_CACHED_BYTES else None

    def _cached_checks(self, key: bytes, state: dict[str, Any], budget: WorkBudget) -> tuple[FailedCheck, ...]:
        found = self._cached.get(key)
        if found is None:
            if len(self._cached) >= MAX_CACHED_MESSAGES:
                self._cached.clear()
            found = self._cached[key] = self._evaluate_checks(state, frozenset(), budget)
        return found

    def _evaluate_checks(self, state: dict[str, Any], failed: Set[str], budget: WorkBudget) -> tuple[FailedCheck, ...]:
        passed_over = frozenset(self._indexes[each] for each in failed if each in self._indexes)
        with self._bounds(budget):
            return tuple(self._batch.failed_checks(state, passed_over))

    def _bounds(self, budget: WorkBudget) -> AbstractContextManager[None]:
        """One evaluation; a Ctrl-C waits where the engine calls functions, since it would swallow it."""
        if self._run.library:
            return budget.functions(self._policies[0][0])
        return defer_interrupts() if isinstance(self._engine, DocumentEngine) else nullcontext()

    def _message(self, policy: Policy, state: dict[str, Any], budget: WorkBudget) -> str:
        """The text of a finding. Raises CelError."""
        if policy.message_expression is None:
            return policy.message
        with self._bounds(budget):
            text = evaluate_text(policy.message_expression, state, self._engine)
        return policy.finding_text(text)

    def _findings(
        self, untrue: Iterable[FailedCheck], node: Node, views: MessageViews, state: dict[str, Any]
    ) -> Iterator[tuple[Rule, Finding] | PolicyFailure]:
        for failed_check in untrue:
            policy, rule = self._policies[failed_check.index]
            if _reads_refused_field(policy, node, views) or is_unreadable(failed_check.error or ""):
                continue
            if failed_check.error is not None:
                yield PolicyFailure(policy, failed_check.error)
                continue
            try:
                yield rule, Finding(self._message(policy, state, views.budget), policy_location(policy, node))
            except CelError as error:
                if not is_unreadable(error.message):
                    yield PolicyFailure(policy, f"messageExpression: {error.message}")


def _state_engine(judged: Sequence[tuple[Policy, Rule]], field_mask: FieldMask, run: RunVariables) -> StateEngine:
    """The engine of some policies on one message type: with `root` it converts a document once for all its messages."""
    plain = PlainStateEngine(run.names, run.library)
    kinds = kinds_by_message()
    if "root" not in field_mask.variables or all(kinds[policy.on] == policy.on for policy, _ in judged):
        return plain
    engine = DocumentEngine(("root", "document", *run.values), ("self",), run.library)
    try:
        for policy, _ in judged:
            engine.compile(policy.check)
            engine.compile(policy.message_expression or "true")
    except CelError:  # it nests as deep as the engine lets it
        return plain
    return engine


def _reads_refused_field(policy: Policy, node: Node, views: MessageViews) -> bool:
    """Whether a check reads a value that the model refused: that mistake has already been reported."""
    refused = views.refused_fields(node)
    return bool(refused) and policy.reads.reads_any(refused)
