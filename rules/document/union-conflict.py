"""Union with more than one member set.

Readers differ in which of two members they keep: strict ones refuse both, others keep the last. A view with two sources
serves the values of one of them, and nobody knows which.

Specification: feature-view, FeatureView: "At most one of the next three is set.", IndexConfig: "At most one of
treeAhConfig or bruteForceConfig.", SyncConfig: "Only one option is set."; channel-config, UpsellConfig: "Exactly one of
the next three is the type-specific configuration.", OfferMessage: "Set this or upsoldItemIds, not both."

Good:

    kind: FeatureView
    syncConfig: {cron: 0 3 * * *}
    warehouseSource: {uri: bq://acme.serving.riders, entityIdColumns: [id]}
    ragSource: null

Bad:

    kind: FeatureView
    ragSource: {uri: bq://acme.rag.chunks}
    featureRegistrySource:  # <- "featureRegistrySource" stands beside "ragSource"; a view has one source, keep one
      featureGroups: [{featureGroupId: users, featureIds: [age]}]
    warehouseSource:  # <- "warehouseSource" stands beside "ragSource"; a view has one source, keep one
      uri: bq://acme.serving.riders
      entityIdColumns: [id]

Bad, as SyncConfig:

    continuous: true
    cron: 0 3 * * *  # <- "cron" stands beside "continuous"; only one sync option is set, keep one

Bad, as SyncConfig:

    cron: 0 3 * * *
    continuous: false  # <- "continuous" stands beside "cron" and is false, which says nothing; remove it

Bad, as IndexConfig:

    embeddingColumn: vector
    treeAhConfig: {}
    bruteForceConfig: {}  # <- an index has one algorithm, keep one

Bad, as UpsellConfig:

    priority: 1
    celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}
    greetingOffer:  # <- "greetingOffer" stands beside "celUpsell"; an upsell has one type, keep one
      messages: [{messageConfigs: [{languageCode: en, messageText: Fries?}]}]

Bad, as OfferMessage:

    upsoldItems: [Fries]
    upsoldItemIds: ["301"]  # <- "upsoldItemIds" stands beside "upsoldItems"; items are named or given by id, keep one
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad, as ScenarioStep:

    resolve: {store: main-street, expect: {values: []}}
    session: {store: main-street}  # <- "session" stands beside "resolve"; a step has one deed, keep one

Bad, as ExpectedValue:

    field: operationsConfig.upsellStrategy.maxUpsellOffers
    value: false
    absent: true  # <- "absent" stands beside "value"; one outcome is expected, keep one

Bad:

    kind: FeatureView
    indexConfig: {embeddingColumn: vector}
    vectorSearchConfig: {embeddingColumn: vector}  # <- "vectorSearchConfig" stands beside "indexConfig"
"""

from trialrun.diagnostic import Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import UnionConflict

LAWS = {
    "source": "a view has one source",
    "algorithm_config": "an index has one algorithm",
    "upsell_type_config": "an upsell has one type",
    "sync option": "only one sync option is set",
    "upsold items": "items are named or given by id",
    "index": "both configure one index",
    "place": "the rows are in one place",
    "content": "rows are written in one form",
    "served": "an entity is served or missing",
    "query": "a search is near an entity or a vector",
    "deed": "a step has one deed",
    "turns": "turns are told in one form",
    "outcome": "one outcome is expected",
}
LENIENT = "index"
KEPT = {"index": "indexConfig, the other is its deprecated name"}
"""By union, the member to keep, where one of them is plainly better."""
CAN_BE_FALSE = "outcome"
"""The union whose members say something when they are false: that false is expected."""


@rule(UnionConflict, severity=Severity.ERROR)
def check(misfit: UnionConflict) -> Findings:
    """Flag each member after the first, at its key."""
    beside = f'"{misfit.name}" stands beside "{misfit.first_name}"'
    idle = misfit.is_false and misfit.union != CAN_BE_FALSE
    kept = KEPT.get(misfit.union, "one")
    advice = _why(misfit) if idle else f"; {LAWS[misfit.union]}, keep {kept}"
    yield misfit.finding(
        f"{beside}{advice}",
        at="key",
        severity=Severity.WARNING if idle or misfit.union == LENIENT else None,
        related=(Related(f'"{misfit.first_name}" stands here', misfit.earlier_location, at="key"),),
    )


def _why(misfit: UnionConflict) -> str:
    if misfit.name == "continuous":
        return " and is false, which says nothing; remove it"
    return ", which is false and says nothing; remove that one"
