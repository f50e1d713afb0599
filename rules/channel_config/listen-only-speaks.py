"""Greeting or upsell in LISTEN_ONLY mode.

In LISTEN_ONLY mode the agent does not speak: greetings and upsells in the same configuration are never used. Either the
mode or the texts are left over, for example from a pilot. Disabled upsells and upsells that only show suggestions are
not reported.

Specification: channel-config, InteractionMode: "LISTEN_ONLY (agent listens and does not speak)".

Good, as OperationsConfig:

    interactionMode: LISTEN_ONLY
    featuresConfig: {getOrderPrices: {}}
    upsellStrategy:
      upsells:
        - priority: 1
          disabled: true
          celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}
        - priority: 2
          celUpsell: {conditionExpression: order.subtotal > 9.0, suggestedMenuItems: [Shake], suggestionOnly: true}

Bad, as OperationsConfig:

    interactionMode: LISTEN_ONLY  # <- LISTEN_ONLY does not speak, so its greetings and upsells are never heard
    defaultLanguageCode: en
    greetings:
      - {languageCode: en, greetingPhrases: [Hello]}
    upsellStrategy:
      upsells:
        - priority: 1
          celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import OperationsConfig, UpsellConfig


@rule(OperationsConfig, severity=Severity.WARNING)
def check(operations: OperationsConfig) -> Findings:
    """Flag the mode, and point at what it silences."""
    if operations.interactionMode != "LISTEN_ONLY":
        return
    silenced = []
    if operations.greetings:
        silenced.append(("greetings", operations.location("greetings")))
    strategy = operations.upsellStrategy
    if strategy and any(_speaks(upsell) for upsell in strategy.upsells or ()):
        silenced.append(("upsells", strategy.location("upsells")))
    if silenced:
        what = " and ".join(name for name, _ in silenced)
        yield operations.finding(
            "interactionMode",
            f"an agent in LISTEN_ONLY does not speak, so its {what} are never heard; remove them or change the mode",
            related=tuple(Related(f"the {name}", place) for name, place in silenced),
        )


def _speaks(upsell: UpsellConfig) -> bool:
    return not upsell.disabled and not (upsell.celUpsell and upsell.celUpsell.suggestionOnly)
