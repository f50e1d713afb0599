"""What policies with `scope: workspace` gather of each document: views of messages, and of documents that they read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import SymbolicLocation
from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.lint.policy.activation import FieldMask, MessageViews
    from trialrun.lint.policy.policy import Policy
    from trialrun.lint.rule import Rule
    from trialrun.model.node import Node
    from trialrun.values.cel.field_presence import FieldSet


class MessageFact(NamedTuple):
    """A message that a policy judges: its variables that the policy reads, without the document around it."""

    variables: Mapping[str, Any]


class RootFact(NamedTuple):
    """The document around messages that a policy judges, once for all of them."""

    view: Mapping[str, Any]


class DocumentFact(NamedTuple):
    """A document that a policy reads; `view` is None if a value that the policy reads was refused."""

    kind: str
    view: Mapping[str, Any] | None


FACT_TYPES: Mapping[str, type[Any]] = {each.__name__: each for each in (MessageFact, RootFact, DocumentFact)}
"""The classes of the facts of policies, by name."""


@dataclass(frozen=True, eq=False)
class PolicyGatherer:
    """Gathers the facts of one policy from the messages of one type; `rule` is the policy as a rule.

    The policy judges the messages (`is_subject`), reads them by `documents` (`is_read`), or as `root` (`is_root`).
    """

    policy: Policy
    rule: Rule
    field_mask: FieldMask
    is_subject: bool
    is_read: bool
    is_root: bool

    @staticmethod
    def is_message(value: Any) -> bool:
        """Whether a fact is about a message that the policy judges."""
        return isinstance(value, MessageFact)

    def facts(self, node: Node, views: MessageViews) -> Iterator[tuple[SymbolicLocation, Any]]:
        """The facts about a message, each with its location."""
        if self.is_read:
            view = None if self._reads_any(views.refused_fields_of(node)) else views.view(node)
            yield SymbolicLocation(node), DocumentFact(type(node).__name__, view)
        if self.is_root:
            yield SymbolicLocation(node), RootFact(views.view(node))
        if self.is_subject:
            from trialrun.lint.policy.evaluate import policy_location

            state = views.activation(node)
            if not self._reads_any(views.refused_fields(node)):
                names = self.policy.reads.variables - ({"root"} if views.has_document(node) else set())
                variables = {name: value for name, value in state.items() if name in names}
                yield policy_location(self.policy, node), MessageFact(variables)

    def _reads_any(self, refused: FieldSet) -> bool:
        """Whether the policy reads a value that the model refused."""
        return bool(refused) and self.policy.reads.reads_any(refused)


def policy_gatherers(
    name: str, policies: list[tuple[Policy, Rule]], masks: dict[str, FieldMask]
) -> Iterator[PolicyGatherer]:
    """What gathers the facts of policies from messages of a type; `masks` has what each policy reads."""
    from trialrun.lint.policy.activation import FieldMask
    from trialrun.lint.policy.types import kinds_by_message

    for policy, rule in policies:
        is_subject, is_read = policy.on == name, name in policy.kinds
        is_root = "root" in policy.reads.variables and name == kinds_by_message()[policy.on]
        if is_subject or is_read or is_root:
            mask = masks.setdefault(policy.id, FieldMask([policy.reads]))
            yield PolicyGatherer(policy, rule, mask, is_subject, is_read, is_root)
