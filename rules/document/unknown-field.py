"""Field that the message does not have.

Most readers skip a misspelled key without an error, so the setting never takes effect. The same applies to a field that
is one level too high or too low. The content of a misspelled key with one clear candidate is checked as that field, so
that further mistakes are found at once. The names of unions in the specifications (`source`, `algorithm_config`,
`upsell_type_config`) are for readers only: files contain their members.

Specification: feature-view, section 2, and channel-config, section 2: the field tables list every field of a message.
The fields of AutomaticResources beyond two and those of ConfigApplicationRule are not shown: an unknown key is a
warning in the former and passes in the latter.

Good, as SyncConfig:

    cron: 0 3 * * *

Good:

    kind: ChannelConfig
    type: UPSELL_STRATEGY
    configApplicationRules:
      - anything: goes

Bad, as SyncConfig:

    cronn: 0 3 * * *  # <- SyncConfig has no field "cronn"; did you mean "cron"?

Fixed, as SyncConfig:

    cron: 0 3 * * *

Bad:

    kind: FeatureView
    SyncConfig: {continuous: true}  # <- did you mean "syncConfig"?
    index-config: {embeddingColumn: vector}  # <- did you mean "indexConfig"?
    bigQuerySource:  # <- FeatureView has no field "bigQuerySource"; did you mean "warehouseSource"?
      uri: bq://acme.serving.riders
      entityIdColumns: [id]

Fixed:

    kind: FeatureView
    syncConfig: {continuous: true}
    indexConfig: {embeddingColumn: vector}
    warehouseSource:
      uri: bq://acme.serving.riders
      entityIdColumns: [id]

Bad, as MessageConfig:

    language: en  # <- did you mean "languageCode"?
    text: Fries?  # <- did you mean "messageText"?

Bad:

    kind: FeatureView
    cron: 0 3 * * *  # <- FeatureView has no field "cron"; it belongs under "syncConfig"
    ragSource: {uri: bq://acme.rag.chunks}

Bad:

    kind: ChannelConfig
    type: UPSELL_STRATEGY
    upsells: []  # <- ChannelConfig has no field "upsells"; it belongs under "upsellStrategy"
    operationsConfig:
      tone: FRIENDLY  # <- OperationsConfig has no field "tone"; it belongs at the top of the ChannelConfig
      upsellStrategy:
        greetings: []  # <- UpsellStrategy has no field "greetings"; it belongs under "operationsConfig"
        upsells:
          - priority: 1
            messages: []  # <- UpsellConfig has no field "messages"; it belongs under "greetingOffer"

Bad:

    kind: FeatureView
    source:  # <- "source" is the name of a union, not a field; move its content one level up
      warehouseSource:
        uri: bq://acme.serving.riders
        entityIdColumns: [id]

Fixed:

    kind: FeatureView
    warehouseSource:
      uri: bq://acme.serving.riders
      entityIdColumns: [id]

Bad, as WarehouseSource:

    uri: bq://acme.serving.riders
    entityIdColumns: [id]
    entityIdColumn: rider  # <- did you mean "entityIdColumns", which is already set?

Bad, as AutomaticResources:

    scaleDown: slowly  # <- AutomaticResources has no documented field "scaleDown"

Bad, as OfferMessage:

    {messageFrequency: 0,2, upsoldItems: [Fries], messageConfigs: [{languageCode: en, messageText: Fries?}]}
    # line 1 <- OfferMessage has no field "2"; between brackets a comma ends a value, write a number with a point

Bad, as WarehouseSource:

    uri: bq://acme.riders
    entityIdColumns: [id]
    "\u00a0table": riders  # <- it has a U+00A0, which is not a space to YAML, write plain spaces

Bad, as CelUpsell:

    {conditionExpression: size(order.items) > max(1, 2), suggestedMenuItems: [Fries]}
    # line 1 <- CelUpsell has no field "2)"; between brackets a comma ends a value, quote the whole value
"""

from trialrun.diagnostic import Fix, Lift, Rename, Severity
from trialrun.lint.diagnostic_sink import to_finding
from trialrun.lint.rule import Findings, rule
from trialrun.lint.rule_support.type_advice import key_advice
from trialrun.model.misfit import UnknownField
from trialrun.parser import ParseError


@rule(UnknownField, severity=Severity.ERROR)
def check(misfit: UnknownField) -> Findings:
    """Flag the key, and suggest the most similar field, or the message that it belongs to."""
    lenient = misfit.model.further_fields == "not shown"
    fix = None
    if misfit.candidate and misfit.candidate_is_free:
        fix = Fix(f"rename to {misfit.candidate}", (Rename(misfit.location, misfit.candidate),))
    if misfit.union:
        yield misfit.finding(
            f'"{misfit.path[-1]}" is the name of a union, not a field; move its content one level up',
            at="key",
            fix=Fix("move its fields one level up", (Lift(misfit.location),)),
        )
        return
    yield misfit.finding(
        f'{misfit.model.__name__} has no {"documented " * lenient}field "{misfit.path[-1]}"{key_advice(misfit)}',
        at="key",
        severity=Severity.WARNING if lenient else None,
        fix=fix,
    )


@rule(ParseError, severity=Severity.ERROR)
def check_argument(trouble: ParseError) -> Findings:
    """Flag an argument that the provider of Terraform does not have."""
    yield to_finding(trouble)
