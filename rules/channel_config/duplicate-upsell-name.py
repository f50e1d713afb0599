"""Two upsells of one strategy with the same displayName.

A config of a later level overrides an upsell by its displayName, scenarios refer to it, and reports and metrics count
by it. When two upsells share a name, the reference is ambiguous: an override that disables one also disables the other.

Specification: channel-config, UpsellConfig, displayName: "For UI display, metrics aggregation and analytics."

Good, as UpsellStrategy:

    upsells:
      - displayName: Fries at noon
        priority: 1
        celUpsell: {conditionExpression: session.daypartId == 'noon', suggestedMenuItems: [Fries]}
      - displayName: Fries at night
        priority: 2
        celUpsell: {conditionExpression: session.daypartId == 'night', suggestedMenuItems: [Fries]}

Bad, as UpsellStrategy:

    upsells:
      - displayName: Fries
        priority: 1
        celUpsell: {conditionExpression: session.daypartId == 'noon', suggestedMenuItems: [Fries]}
      - priority: 2
        displayName: Fries  # <- the name "Fries" is already used by the upsell of priority 1; give each upsell its own
        celUpsell: {conditionExpression: session.daypartId == 'night', suggestedMenuItems: [Fries]}
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.channel_config import UpsellConfig, UpsellStrategy


@rule(UpsellStrategy, severity=Severity.WARNING)
def check(strategy: UpsellStrategy) -> Findings:
    """Flag each upsell whose name an earlier one has."""
    first: dict[str, UpsellConfig] = {}
    for upsell in strategy.upsells or ():
        name = upsell.displayName
        if not name or (earlier := first.setdefault(name, upsell)) is upsell:
            continue
        user = "another upsell" if earlier.priority is None else f"the upsell of priority {earlier.priority}"
        yield upsell.finding(
            "displayName",
            f'the name "{name}" is already used by {user}; give each upsell its own',
            related=(Related(f'the other "{name}"', earlier.location("displayName")),),
        )
