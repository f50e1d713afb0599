"""Evaluates all policies on one message type together."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from trialrun.diagnostic import Finding, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.activation import FieldMask, MessageViews
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.run_variables import NO_RUN, RunVariables
from trialrun.lint.policy.types import VARIABLES
from trialrun.lint.rule import Rule
from trialrun.model.node import Node
from trialrun.values.cel import CelError
from trialrun.values.cel.batch import CheckBatch, FailedCheck, evaluate_text
from trialrun.values.cel.policy_functions import is_unreadable

MARSHAL_VERSION = 2
"""The marshal version that writes equal values identically, regardless of their memory addresses."""
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
        from trialrun.lint.policy.failures import failure_finding

        return failure_finding(self.policy, self.error, node)


class PolicyEvaluator:
    """Evaluates some policies on one message type; created once, before workers start.

    `field_mask` is what they read. The messages of a repository are similar, so results for equal messages are cached.
    `run` is the same for all messages: the day, and the values of parameters; only a policy that stands alone has any.
    """

    def __init__(self, judged: Sequence[tuple[Policy, Rule]], run: RunVariables = NO_RUN) -> None:
        self._policies, self._run = judged, run
        self.field_mask = FieldMask(policy.reads for policy, _ in judged)
        self.uses_date = any(policy.uses_date for policy, _ in judged)
        self._batch = CheckBatch([policy.check for policy, _ in judged], run.names, run.library)
        self._indexes = {policy.id: index for index, (policy, _) in enumerate(judged)}
        self._cached: dict[bytes, tuple[FailedCheck, ...]] = {}

    def evaluate(
        self, node: Node, views: MessageViews, failed: Set[str]
    ) -> Sequence[tuple[Rule, Finding] | PolicyFailure]:
        """The findings of the policies for a message; policies in `failed` are skipped."""
        state = {**views.activation(node), **self._run.values}
        untrue = self._failed_checks(state, failed) if not failed else self._evaluate_checks(state, failed)
        return list(self._findings(untrue, node, views, state)) if untrue else ()

    def _failed_checks(self, state: dict[str, Any], failed: Set[str]) -> tuple[FailedCheck, ...]:
        try:
            variables = [state[name] for name in self.field_mask.variables if name in VARIABLES]
            key = marshal.dumps(variables, MARSHAL_VERSION)
        except ValueError:  # a value of a type of its own, which the engine may take all the same
            return self._evaluate_checks(state, failed)
        if len(key) > MAX_CACHED_BYTES:
            return self._evaluate_checks(state, failed)
        found = self._cached.get(key)
        if found is None:
            if len(self._cached) >= MAX_CACHED_MESSAGES:
                self._cached.clear()
            found = self._cached[key] = self._evaluate_checks(state, failed)
        return found

    def _evaluate_checks(self, state: dict[str, Any], failed: Set[str]) -> tuple[FailedCheck, ...]:
        passed_over = frozenset(self._indexes[each] for each in failed if each in self._indexes)
        with self._run.bounds():
            return tuple(self._batch.failed_checks(state, passed_over))

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
                yield rule, Finding(policy_message(policy, state, self._run), policy_location(policy, node))
            except CelError as error:
                if not is_unreadable(error.message):
                    yield PolicyFailure(policy, f"messageExpression: {error.message}")


def _reads_refused_field(policy: Policy, node: Node, views: MessageViews) -> bool:
    """Whether a check reads a value that the model refused: that mistake has already been reported."""
    refused = views.refused_fields(node)
    return bool(refused) and policy.reads.reads_any(refused)


def policy_message(policy: Policy, state: dict[str, Any], run: RunVariables) -> str:
    """The text of a finding. Raises CelError."""
    if policy.message_expression is None:
        return policy.message
    with run.bounds():
        text = evaluate_text(policy.message_expression, state, run.names, run.library)
    return policy.finding_text(text)


def policy_location(policy: Policy, node: Node) -> SymbolicLocation:
    """The location of a finding: as far along `at` as the file has content."""
    steps: list[str] = []
    here: object = node
    for step in policy.at:
        if isinstance(here, Node) and here.has(step):
            here = getattr(here, step)
        elif isinstance(here, dict) and step in here:
            here = here[step]
        else:
            break
        steps.append(step)
    return SymbolicLocation(node, tuple(steps))
