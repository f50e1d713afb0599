"""Policies: an organization's own rules, as YAML with checks in CEL, which are safe to run from any repository.

Decisions: docs/decisions/linter.md
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.lint.policy.policy import Policy
    from trialrun.lint.rule import Rule

GROUP = "policies"
"""The rule group of all policies."""


@dataclass(frozen=True, eq=False)
class Policies:
    """The policies of a run; `rules` are the corresponding rules, by id.

    `files` are the absolute paths of the policy files, which are not linted as documents. `digest` identifies their
    content, for cached results.
    """

    all: tuple[Policy, ...]
    rules: Mapping[str, Rule]
    digest: str
    files: frozenset[str] = frozenset()

    @property
    def read_paths(self) -> bool:
        """Whether any result depends on the path of the checked file."""
        return any(policy.reads_path for policy in self.all)


def is_policy(value: Any) -> bool:
    """Whether a document is a policy, which `trialrun rules test` checks and the linter skips."""
    return isinstance(value, dict) and value.keys() >= {"id", "on", "check"}


NONE = Policies((), MappingProxyType({}), "")
"""No policies."""
