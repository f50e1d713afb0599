"""Policies: an organization's own rules, as YAML with a check in CEL; data that is safe to run from any repository.

Decisions: docs/decisions/rules.md
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from trialrun.lint.policy.policy import Policy
    from trialrun.lint.rule import Rule

GROUP = "policies"
"""The group that all policies are rules of."""


@dataclass(frozen=True, eq=False)
class Policies:
    """The policies of a run: `rules` is how they look beside the shipped rules, by id.

    `files` are the whole paths of the files they were read from, which are no documents to lint. `digest` differs where
    anything that they say differs, so that verdicts under others are not taken for theirs.
    """

    all: tuple[Policy, ...]
    rules: Mapping[str, Rule]
    digest: str
    files: frozenset[str] = frozenset()

    @property
    def read_paths(self) -> bool:
        """Whether any verdict depends on where the file lies."""
        return any(policy.reads_path for policy in self.all)


def is_policy(value: Any) -> bool:
    """Whether a document is a policy, which is for `trialrun rules test` to look at and no resource to lint."""
    return isinstance(value, dict) and value.keys() >= {"id", "on", "check"}


NONE = Policies((), MappingProxyType({}), "")
"""No policies at all."""
