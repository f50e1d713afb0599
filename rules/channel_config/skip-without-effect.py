"""Skip condition that has no effect on its upsell.

A greeting or closing offer has no trigger item whose quantity could be above 1; a CEL upsell is triggered by the items
that its condition names, so it has none either when the condition names no item, or only items that must not be in the
order (`!`); and no turn precedes a greeting offer. The setting looks like a safeguard and does nothing. The fix is
unsafe: a config of a later level may replace the upsell with one to which the setting would apply.

Specification: channel-config, UpsellConfig: "Applies only to the types: item to combo, combo up size, modifier
addition, combo drink, item up size, combo variant, item triggered."; "Skip this upsell when the prior conversational
turn was an upsell."

Good, as UpsellConfig:

    priority: 1
    skipOnMultiQuantityUpsoldFromItem: true
    skipOnPreviousTurnUpsell: true
    celUpsell: {conditionExpression: "order.items.exists(i, i.displayName == 'Burger')", suggestedMenuItems: [Fries]}

Good, as UpsellConfig:

    priority: 1
    skipOnPreviousTurnUpsell: true
    closingOffer:
      closingMessages:
        - offerMessage:
            upsoldItems: [Cookie]
            messageConfigs: [{languageCode: en, messageText: A cookie?}]

Bad, as UpsellConfig:

    priority: 1
    skipOnMultiQuantityUpsoldFromItem: true  # <- has no effect on a greeting offer, which has no trigger item
    skipOnPreviousTurnUpsell: true  # <- has no effect on a greeting offer, which no turn precedes
    greetingOffer:
      messages:
        - upsoldItems: [Fries]
          messageConfigs: [{languageCode: en, messageText: Fries today?}]

Fixed, as UpsellConfig:

    priority: 1
    greetingOffer:
      messages:
        - upsoldItems: [Fries]
          messageConfigs: [{languageCode: en, messageText: Fries today?}]

Bad, as UpsellConfig:

    priority: 1
    skipOnMultiQuantityUpsoldFromItem: true  # <- has no effect on a closing offer
    closingOffer:
      closingMessages:
        - offerMessage:
            upsoldItems: [Cookie]
            messageConfigs: [{languageCode: en, messageText: A cookie?}]

Bad, as UpsellConfig:

    priority: 1
    skipOnMultiQuantityUpsoldFromItem: true  # <- has no effect on a condition that names no item
    celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries]}

Bad, as UpsellConfig:

    priority: 1
    skipOnMultiQuantityUpsoldFromItem: true  # <- has no effect on a condition that names no item
    celUpsell: {conditionExpression: "!order.items.exists(i, i.displayName == 'Fries')", suggestedMenuItems: [Fries]}
"""

from trialrun.diagnostic import Finding, Fix, Remove, Severity
from trialrun.lint.rule import Context, Findings, rule
from trialrun.lint.rule_support.cel_conditions import condition_tree, valid_condition
from trialrun.model.channel_config import UpsellConfig

WORDS = {"greetingOffer": "a greeting offer", "closingOffer": "a closing offer"}


def has_skip_condition(upsell: UpsellConfig) -> bool:
    """Whether an upsell is skipped in some turns."""
    return bool(upsell.skipOnMultiQuantityUpsoldFromItem or upsell.skipOnPreviousTurnUpsell)


@rule(UpsellConfig, severity=Severity.WARNING, prefilter=has_skip_condition)
def check(upsell: UpsellConfig, context: Context) -> Findings:
    """Flag each skip condition that is set on an upsell to which it cannot apply."""
    members = upsell.members("upsell_type_config")
    if members == ["celUpsell"] and upsell.skipOnMultiQuantityUpsoldFromItem and names_no_item(upsell, context):
        yield _idle(upsell, "skipOnMultiQuantityUpsoldFromItem", "a condition that names no item")
    if len(members) != 1 or members[0] not in WORDS:
        return
    if upsell.skipOnMultiQuantityUpsoldFromItem:
        yield _idle(upsell, "skipOnMultiQuantityUpsoldFromItem", f"{WORDS[members[0]]}, which has no trigger item")
    if upsell.skipOnPreviousTurnUpsell and members == ["greetingOffer"]:
        yield _idle(upsell, "skipOnPreviousTurnUpsell", "a greeting offer, which no turn precedes")


def names_no_item(upsell: UpsellConfig, context: Context) -> bool:
    """Whether the condition of an upsell can be read and names no item that must be in the order."""
    from trialrun.runtime.channel_config.session.condition_items import condition_items

    condition = valid_condition(upsell, context)
    tree = condition_tree(upsell.celUpsell, condition) if condition and upsell.celUpsell else None
    if tree is None:
        return False
    items = condition_items(tree)
    return not items.texts and not items.patterns


def _idle(upsell: UpsellConfig, field: str, on_what: str) -> Finding:
    fix = Fix("remove it", (Remove(upsell.location(field)),))
    return upsell.finding(field, f"{field} has no effect on {on_what}; remove it", fix=fix)
