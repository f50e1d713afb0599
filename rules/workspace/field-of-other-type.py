"""Field that is overridden by a config of the other type.

Each type is resolved separately: a session takes the upsell strategy from the configs of type UPSELL_STRATEGY and
everything else from those of type AGENT_CUSTOMIZATION; the other type counts only for fields that this one does not
set. A default language in an upsell strategy, for example, looks effective while another one is in force. Fields that
both types set to the same value are not reported, nor are displayName and description.

Specification: channel-config, section 1: "the runtime picks by this precedence"; the assumption precedence-types.

Good:

    - {kind: Brand, name: acme, defaults: [everyday, voice], stores: [{name: austin}]}
    - {kind: ChannelConfig, name: everyday, type: UPSELL_STRATEGY, operationsConfig: {defaultLanguageCode: en}}
    - {kind: ChannelConfig, name: voice, type: AGENT_CUSTOMIZATION, operationsConfig: {defaultLanguageCode: en}}

Good:

    - {kind: Brand, name: acme, defaults: [everyday, voice], stores: [{name: austin}]}
    - {kind: ChannelConfig, name: everyday, type: UPSELL_STRATEGY, operationsConfig: {displayName: Upsells}}
    - {kind: ChannelConfig, name: voice, type: AGENT_CUSTOMIZATION, operationsConfig: {displayName: Voice}}

Good:

    - {kind: Brand, name: acme, defaults: [everyday, voice], stores: [{name: austin}]}
    - {kind: ChannelConfig, name: everyday, type: UPSELL_STRATEGY, operationsConfig: {interactionMode: LISTEN_ONLY}}
    - {kind: ChannelConfig, name: voice, type: AGENT_CUSTOMIZATION, operationsConfig: {defaultLanguageCode: en}}

Bad:

    kind: Brand
    name: acme
    defaults: [everyday]
    stores:
      - {name: austin}
      - {name: quebec, defaults: [voice]}
    ---
    kind: ChannelConfig
    name: everyday
    type: UPSELL_STRATEGY
    operationsConfig:
      defaultLanguageCode: en  # <- sessions at 1 of 2 stores, such as quebec, take defaultLanguageCode from the type
    ---
    {kind: ChannelConfig, name: voice, type: AGENT_CUSTOMIZATION, operationsConfig: {defaultLanguageCode: fr-CA}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import rule
from trialrun.lint.rule_support.strategies import at_stores, findings_at_stores, gather_strategies
from trialrun.lint.workspace_rules import Facts, FindingSteps

if TYPE_CHECKING:
    from trialrun.lint.rule_support.brand_facts import ConfigCatalog
    from trialrun.runtime.channel_config.store_findings import StoreFinding

__all__ = ["check", "gather_strategies"]

UPSELLS, AGENT = "UPSELL_STRATEGY", "AGENT_CUSTOMIZATION"


@rule(Facts, severity=Severity.WARNING, options={"list-merge": "replace", "message-draw": "type"})
def check(facts: Facts) -> FindingSteps:
    """Flag each field that sessions take from the other type, where its value is another one."""
    from trialrun.runtime.channel_config.store_findings import StoreCheck

    return findings_at_stores(facts, StoreCheck, {"other-type": of_other_type})


def of_other_type(finding: StoreFinding, configs: ConfigCatalog) -> str:
    """The message about a field that counts in the other type alone."""
    from trialrun.lint.rule_support.brand_facts import format_value

    other_type = AGENT if configs.type(finding.location.config) == UPSELLS else UPSELLS
    values = f": {format_value(finding.values[1])}, not {format_value(finding.values[0])}" if finding.values else ""
    where = at_stores(finding.stores, finding.count)
    return (
        f"sessions {where}, take {finding.subject} from the type {other_type}{values}; set it there, or remove it here"
    )
