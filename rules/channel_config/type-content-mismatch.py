"""Content that does not match the type of its configuration.

Each type is resolved separately: a store takes its upsells from the configuration of type UPSELL_STRATEGY that wins,
and the rest from the one of type AGENT_CUSTOMIZATION. Upsells under the wrong type lose against any other strategy, and
a strategy without upsells may hide one that has some.

Basis: channel-config, ChannelConfig: "Type of the configuration."

Good:

    kind: ChannelConfig
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy: {maxUpsellOffers: 2}

Good:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION
    tone: FRIENDLY

Bad:

    kind: ChannelConfig
    type: UPSELL_STRATEGY  # <- UPSELL_STRATEGY has no upsellStrategy
    operationsConfig:
      defaultLanguageCode: en

Bad:

    kind: ChannelConfig
    type: AGENT_CUSTOMIZATION  # <- AGENT_CUSTOMIZATION has an upsellStrategy
    operationsConfig:
      upsellStrategy: {maxUpsellOffers: 2}
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import ChannelConfig


@rule(ChannelConfig, severity=Severity.WARNING, absence=True)
def check(config: ChannelConfig) -> Findings:
    """Flag the type when the content is another's."""
    operations = config.operationsConfig
    if config.has("operationsConfig") and operations is None:
        return
    has_strategy = operations is not None and operations.has("upsellStrategy")
    if config.type == "UPSELL_STRATEGY" and not has_strategy:
        yield config.finding(
            "type", "a configuration of type UPSELL_STRATEGY has no upsellStrategy; add it or change the type"
        )
    if config.type == "AGENT_CUSTOMIZATION" and operations is not None and has_strategy:
        yield config.finding(
            "type",
            "a configuration of type AGENT_CUSTOMIZATION has an upsellStrategy; move it to one of type UPSELL_STRATEGY",
            related=(Related("the upsell strategy", operations.location("upsellStrategy")),),
        )
