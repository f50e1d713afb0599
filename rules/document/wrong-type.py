"""Value of the wrong type for its field.

Most readers refuse a value of another type, and some convert it: the text "false" is true to many programs, and a
single text where a list is required is read letter by letter.

Specification: feature-view, section 2, and channel-config, section 2: the tables give the type of every field; an int64
is text that holds an integer.

Good, as UpsellConfig:

    priority: 1
    disabled: true
    greetingOffer: {messages: [{messageConfigs: [{languageCode: en, messageText: "5"}]}]}

Good, as FeaturesConfig:

    orderPickup: {}

Bad, as UpsellConfig:

    priority: high  # <- priority must be an integer written as digits, not 'high'
    disabled: "true"  # <- disabled must be true or false, not the text "true"; write true
    skipOnPreviousTurnUpsell: yes  # <- skipOnPreviousTurnUpsell must be true or false, not the text "yes"; write true
    celUpsell: []  # <- celUpsell must be a mapping with the fields conditionExpression, suggestedMenuItems

Bad, as UpsellConfig:

    priority: 1
    disabled: "true"  # <- write true
    celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Fixed, as UpsellConfig:

    priority: 1
    disabled: true
    celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: rider_id  # <- entityIdColumns must be a list of texts, not the text "rider_id"; make it a list

Fixed, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: [rider_id]

Bad, as FeatureGroup:

    featureGroupId: 12  # <- featureGroupId must be text, not the number 12; quote it
    featureIds: [age, 7, null]  # <- an item of featureIds must be text, not the number 7; quote it
    # line 2 <- an item of featureIds must be text, not null; write text, or remove it

Fixed, as FeatureGroup:

    featureGroupId: "12"
    featureIds: [age, "7", null]

Bad, as UpsellStrategy:

    upsells:  # <- upsells must be a list of mappings, not a mapping; make it a list
      priority: 1
      disabled: true
      celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}

Bad, as UpsellStrategy:

    upsells:  # <- celUpsell, not a mapping; begin each item with a dash
      fries: {priority: 1}
      shake: {priority: 2}

Bad, as RagSource:

    uri: bq://acme.rag.chunks
    ragCorpusId: ""  # <- ragCorpusId must be an int64 written as digits, not empty text

Bad, as FeaturesConfig:

    orderPickup: true  # <- orderPickup must be {}, a message without fields, not true; write {}
    orderDineIn: false  # <- orderDineIn must be {}, a message without fields, not false; remove the key

Bad, as TargetItem:

    itemName: Burger
    modifiers: [Pickles, Cheese]  # <- not a list of texts; write {modifierName: Pickles} for each

Bad, as OfferMessage:

    messageFrequency: 60%  # <- messageFrequency must be a number, not the text "60%"; write 0.6
    upsoldItems: [Fries]
    messageConfigs: [{languageCode: en, messageText: {offer}}]  # <- not a mapping; quote it if these are characters

Bad:

    kind: FeatureView
    labels: {tier: 1, team: [rides]}  # <- tier must be text, not the number 1; quote it
    # line 2 <- team must be text, not a list
    syncConfig: 0 3 * * *  # <- syncConfig must be a mapping with the fields cron, continuous, not the text
    warehouseSource:  # <- with the fields uri, entityIdColumns, not a list; remove the dash
      - uri: bq://acme.serving.riders
        entityIdColumns: [id]
"""

from trialrun.diagnostic import At, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import WrongType


@rule(WrongType, severity=Severity.ERROR)
def check(misfit: WrongType) -> Findings:
    """Flag the value, and say what to write where the intended value is clear."""
    from trialrun.lint.rule_support.type_advice import advice, expected, fix, format_value

    what_to_do = "".join(f"; {words}" for words in advice(misfit))
    is_item = isinstance(misfit.path[-1], int) if misfit.path else False
    subject = f"an item of {misfit.field}" if is_item else misfit.field
    if misfit.detail:
        yield misfit.finding(f"{subject} {misfit.detail}", fix=fix(misfit))
        return
    at: At = "key" if misfit.value is None and not is_item else "place"
    value = format_value(misfit.value, misfit.spelling)
    yield misfit.finding(f"{subject} must be {expected(misfit)}, not {value}{what_to_do}", at=at, fix=fix(misfit))
