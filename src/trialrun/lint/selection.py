"""A selection of rules with their severities and options; the default set of rules at a point in time is an edition.

Editions are kept so that an upgrade does not cause new findings.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from trialrun.diagnostic import Finding, Severity
from trialrun.lint import registry
from trialrun.lint.file_result import MASKING_RULES
from trialrun.lint.policy import NONE, Policies
from trialrun.lint.rule import Rule

ADDED: dict[str, frozenset[str]] = {
    "2026.1": frozenset(),
    "2026.2": frozenset(
        {
            "unknown-channel-config",
            "unused-channel-config",
            "rule-bound-twice",
            "store-type-mismatch",
            "unknown-menu-item",
            "menu-id-mismatch",
            "unknown-feature",
            "sync-herd",
        }
    ),
    "2026.3": frozenset({"unknown-column", "column-type", "rag-columns", "entity-id-as-feature"}),
    "2026.4": frozenset({"ambiguous-binding", "shadowed-channel-config"}),
    "2026.5": frozenset(
        {
            "changed-time-zone",
            "deceptive-text",
            "field-of-other-type",
            "invalid-availability",
            "invalid-source-place",
            "message-unused-at-store",
            "priority-tie-at-store",
            "unknown-brand",
            "unknown-store",
            "unknown-view",
            "upsell-unreachable-at-store",
            "cel-extension",
            "cel-portability",
            "duplicate-upsell-name",
            "suspicious-uri",
            "unavailable-menu-item",
            "unused-session-field",
        }
    ),
}
"""The rules that each edition added to the default set, oldest first.

Rules about suppressions belong to every edition, since there were no suppressions before they existed.
"""

NEWEST = list(ADDED)[-1]


def added_after(edition: str) -> frozenset[str]:
    """The rules added after an edition. Raises KeyError for an unknown edition."""
    names = list(ADDED)
    later = names[names.index(edition) + 1 :] if edition in ADDED else None
    if later is None:
        raise KeyError(edition)
    return frozenset().union(*(ADDED[edition] for edition in later))


@dataclass(frozen=True)
class Selection:
    """The ids of the enabled rules; `severity_overrides` replaces their default severities.

    `option_values` has options that differ from their defaults, by name. `gathered_rules` are rules across files that
    are enabled for other files, so that their facts are gathered here, too. `session_schema` is the only file that
    declares session types, None for those of the workspace. `policies` are all of the workspace, enabled if they are in
    `rules`; `policy_parameters` are the values that the settings give to their parameters, by policy.
    """

    rules: frozenset[str]
    severity_overrides: Mapping[str, Severity] = field(default_factory=dict)
    option_values: Mapping[str, Any] = field(default_factory=dict)
    gathered_rules: frozenset[str] = frozenset()
    session_schema: str | None = None
    policies: Policies = NONE
    policy_parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def parameters(self, policy: str) -> Mapping[str, Any]:
        """The values that the settings give to parameters of a policy."""
        return self.policy_parameters.get(policy, {})

    def for_declared_kinds(self, kinds: Collection[str]) -> Selection:
        """The selection without rules that need a document of another kind than the declared ones."""
        silent = {rule for rule, kind in REQUIRED_KIND.items() if kind not in kinds}
        return replace(self, rules=self.rules - silent, gathered_rules=self.gathered_rules - silent) if silent else self

    def for_facts(self) -> Selection:
        """The selection for a file that is not checked itself, whose facts other files are checked against."""
        return replace(self, rules=self.rules & AFFECTING_FACTS)

    def severity(self, rule: Rule, finding: Finding) -> Severity:
        """The severity of a finding: that of the settings, else of the finding, else of the rule."""
        return self.severity_overrides.get(rule.id) or finding.severity or rule.severity

    def options(self, rule: Rule) -> Mapping[str, Any]:
        """The options of a rule: its defaults, overridden by the settings."""
        if not rule.options:
            return rule.options
        return {key: self.option_values.get(key, default) for key, default in rule.options.items()}


AFFECTING_FACTS = frozenset({*MASKING_RULES, "output-only-field"})
"""Rules on one file that say whether its facts are complete, or that hide some of them."""

OFF_BY_DEFAULT = frozenset(
    {"implicit-time-zone", "feature-view-service-agent", "missing-etag", "unexplained-suppression"}
)
"""Rules that are not in the default set; a test compares them with the rule files."""

REQUIRED_KIND = {
    "ambiguous-binding": "Brand",
    "column-type": "Source",
    "entity-id-as-feature": "FeatureGroupTable",
    "field-of-other-type": "Brand",
    "menu-id-mismatch": "Menu",
    "message-unused-at-store": "Brand",
    "priority-tie-at-store": "Brand",
    "rag-columns": "Source",
    "rule-bound-twice": "Brand",
    "shadowed-channel-config": "Brand",
    "store-type-mismatch": "FeatureOnlineStore",
    "unavailable-menu-item": "Menu",
    "unknown-channel-config": "Brand",
    "unknown-column": "Source",
    "unknown-feature": "FeatureGroupTable",
    "unknown-menu-item": "Menu",
    "unused-channel-config": "Brand",
    "unused-session-field": "SessionSchema",
    "upsell-unreachable-at-store": "Brand",
}
"""Rules across files that have no findings without a companion document of a kind; a test checks each."""


def default_rules(edition: str = NEWEST) -> frozenset[str]:
    """The default set of rules of an edition."""
    return frozenset(registry.ids()) - OFF_BY_DEFAULT - added_after(edition)


def default_selection() -> Selection:
    """The default set of rules of the newest edition."""
    return Selection(default_rules())
