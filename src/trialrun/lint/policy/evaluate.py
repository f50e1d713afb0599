"""The policies on one type of message, judged together on each message of that type."""

from __future__ import annotations

import marshal
from collections.abc import Iterable, Iterator, Sequence, Set
from typing import Any

from trialrun.diagnostic import Finding, Place
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.activation import Needs, Views
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.types import VARIABLES
from trialrun.lint.rule import Rule
from trialrun.model.node import Node
from trialrun.values.cel import CelError
from trialrun.values.cel.batch import Batch, Untrue, text_value

WITHOUT_REFERENCES = 2
"""The version of marshal that writes equal values alike, wherever in memory they are."""
LONGEST_KNOWN = 2_000
MOST_KNOWN = 20_000
"""The bytes of a message that is remembered, and how many are."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A policy that came to no answer on a message, and why."""

    policy: Policy
    error: str

    def finding(self, node: Node) -> Finding:
        """The finding that tells it."""
        from trialrun.lint.policy.failures import fault

        return fault(self.policy, self.error, node)


class Judge:
    """Some policies on one type of message, with their rules; made once, before work is dealt out.

    `needs` is what they read. Messages of a repository are alike: what was said of equal ones is remembered.
    """

    def __init__(self, judged: Sequence[tuple[Policy, Rule]]) -> None:
        self._judged = judged
        self.needs = Needs(policy.reads for policy, _ in judged)
        self._batch = Batch([policy.check for policy, _ in judged], VARIABLES)
        self._indexes = {policy.id: index for index, (policy, _) in enumerate(judged)}
        self._known: dict[bytes, tuple[Untrue, ...]] = {}

    def findings(self, node: Node, views: Views, failed: Set[str]) -> Sequence[tuple[Rule, Finding] | Failure]:
        """What the policies say of a message; those that `failed` on an earlier one of the file are passed over."""
        state = views.state(node)
        untrue = self._untrue(state, failed) if not failed else self._evaluated(state, failed)
        return list(self._told(untrue, node, views, state)) if untrue else ()

    def _untrue(self, state: dict[str, Any], failed: Set[str]) -> tuple[Untrue, ...]:
        try:
            key = marshal.dumps([state[name] for name in self.needs.variables], WITHOUT_REFERENCES)
        except ValueError:  # a value of a type of its own, which the engine may take all the same
            return self._evaluated(state, failed)
        if len(key) > LONGEST_KNOWN:
            return self._evaluated(state, failed)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            found = self._known[key] = self._evaluated(state, failed)
        return found

    def _evaluated(self, state: dict[str, Any], failed: Set[str]) -> tuple[Untrue, ...]:
        passed_over = frozenset(self._indexes[each] for each in failed if each in self._indexes)
        return tuple(self._batch.untrue(state, passed_over))

    def _told(
        self, untrue: Iterable[Untrue], node: Node, views: Views, state: dict[str, Any]
    ) -> Iterator[tuple[Rule, Finding] | Failure]:
        for one in untrue:
            policy, rule = self._judged[one.index]
            if _rests_on_refused(policy, node, views):
                continue
            if one.error is not None:
                yield Failure(policy, one.error)
                continue
            try:
                yield rule, Finding(_message(policy, state), _place(policy, node))
            except CelError as error:
                yield Failure(policy, f"messageExpression: {error.message}")


def _rests_on_refused(policy: Policy, node: Node, views: Views) -> bool:
    """Whether a check reads a value that its model refused: that is one mistake, and it has been told."""
    refused = views.refused(node)
    return bool(refused) and policy.reads.any_of(refused)


def _message(policy: Policy, state: dict[str, object]) -> str:
    if policy.message_expression is None:
        return policy.message
    return " ".join(text_value(policy.message_expression, state, VARIABLES).split()) or policy.message


def _place(policy: Policy, node: Node) -> Place:
    """Where a finding points: as far along `at` as there is something in the file."""
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
    return Place(node, tuple(steps))
