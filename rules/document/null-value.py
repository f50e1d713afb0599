"""Key whose value is null.

A key whose value is null looks set to a reader and counts as unset for the service. In particular, `orderPickup:`
without a value does not turn the feature on: a message without fields is turned on by `{}`.

Specification: channel-config, FeaturesConfig: "OrderPickup (no fields)"; in the JSON form of protocol buffers null is
an unset field.

Good, as FeaturesConfig:

    orderPickup: {}

Bad, as FeaturesConfig:

    orderPickup:  # <- orderPickup is null and counts as unset; write {} to turn it on, or remove the key
    budgetBasedOrdering: null  # <- budgetBasedOrdering is null and counts as unset; set a value or remove the key

Fixed, as FeaturesConfig:

    orderPickup: {}
    budgetBasedOrdering: null

Bad, as UpsellConfig:

    priority: 1
    greetingOffer:  # <- greetingOffer is null and counts as unset; set a value or remove the key
    celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}

Bad:

    kind: FeatureView
    etag: ~  # <- etag is null and counts as unset
    syncConfig:  # <- syncConfig is null and counts as unset
"""

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import NullValue


@rule(NullValue, severity=Severity.WARNING)
def check(misfit: NullValue) -> Findings:
    """Flag the key of the null."""
    advice = "write {} to turn it on, or remove the key" if misfit.empty_message else "set a value or remove the key"
    fix = Fix("write {}", (Replace(misfit.location, {}),)) if misfit.empty_message else None
    yield misfit.finding(f"{misfit.field} is null and counts as unset; {advice}", at="key", fix=fix)
