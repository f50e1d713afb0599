"""The policies on one type of message, judged together on each message of that type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from trialrun.diagnostic import Finding, Place
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.types import VARIABLES
from trialrun.lint.policy.views import Views
from trialrun.lint.rule import Rule
from trialrun.model.node import Node
from trialrun.record import dataclass
from trialrun.values.cel import CelError
from trialrun.values.cel.batch import Batch, text_value


@dataclass(frozen=True, slots=True)
class Failure:
    """A policy that came to no answer on a message, and why."""

    policy: Policy
    error: str


class Judge:
    """Some policies on one type of message, with their rules; made once, before work is dealt out."""

    def __init__(self, judged: Sequence[tuple[Policy, Rule]]) -> None:
        self._judged = judged
        self._batch = Batch([policy.check for policy, _ in judged], VARIABLES)
        self._indexes = {policy.id: index for index, (policy, _) in enumerate(judged)}

    def findings(self, node: Node, views: Views, failed: Set[str]) -> Iterator[tuple[Rule, Finding] | Failure]:
        """What the policies say of a message; those that `failed` on an earlier one of the file are passed over."""
        state = views.state(node)
        passed_over = frozenset(self._indexes[each] for each in failed if each in self._indexes)
        for untrue in self._batch.untrue(state, passed_over):
            policy, rule = self._judged[untrue.index]
            if _rests_on_refused(policy, node, views):
                continue
            if untrue.error is not None:
                yield Failure(policy, untrue.error)
                continue
            try:
                yield rule, Finding(_message(policy, state), _place(policy, node))
            except CelError as error:
                yield Failure(policy, f"messageExpression: {error.message}")


def _rests_on_refused(policy: Policy, node: Node, views: Views) -> bool:
    """Whether a check reads a value that its model refused: that is one mistake, and it has been told."""
    refused = views.refused(node)
    return bool(refused) and (policy.reads.everything or not refused.isdisjoint(policy.reads.fields))


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
