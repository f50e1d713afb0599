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
    featureRegistrySource:  # <- "featureRegistrySource" conflicts with "ragSource"
      featureGroups: [{featureGroupId: users, featureIds: [age]}]
    warehouseSource:  # <- "warehouseSource" conflicts with "ragSource": a view has at most one source; keep one
      uri: bq://acme.serving.riders
      entityIdColumns: [id]

Bad, as SyncConfig:

    continuous: true
    cron: 0 3 * * *  # <- "cron" conflicts with "continuous"; set only one sync option

Bad, as SyncConfig:

    cron: 0 3 * * *
    continuous: false  # <- "continuous" conflicts with "cron", and is false, which has no effect; remove it

Bad, as IndexConfig:

    embeddingColumn: vector
    treeAhConfig: {}
    bruteForceConfig: {}  # <- an index has at most one algorithm; keep one

Bad, as UpsellConfig:

    priority: 1
    celUpsell: {conditionExpression: "true", suggestedMenuItems: [Fries]}
    greetingOffer:  # <- "greetingOffer" conflicts with "celUpsell": an upsell has exactly one type; keep one
      messages: [{messageConfigs: [{languageCode: en, messageText: Fries?}]}]

Bad, as OfferMessage:

    upsoldItems: [Fries]
    upsoldItemIds: ["301"]  # <- "upsoldItemIds" conflicts with "upsoldItems"
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad, as OfferMessage:

    upsoldItems: []
    upsoldItemIds: ["301"]  # <- "upsoldItems" is empty, which is unset, so only "upsoldItemIds" counts; remove it
    messageConfigs: [{languageCode: en, messageText: Fries?}]

Bad, as ScenarioStep:

    resolve: {store: main-street, expect: {values: []}}
    session: {store: main-street}  # <- "session" conflicts with "resolve": a step has exactly one action; keep one

Bad, as ExpectedValue:

    field: operationsConfig.upsellStrategy.maxUpsellOffers
    value: false
    absent: true  # <- "absent" conflicts with "value": only one outcome is expected; keep one

Bad:

    kind: FeatureView
    indexConfig: {embeddingColumn: vector}
    vectorSearchConfig: {embeddingColumn: vector}  # <- "vectorSearchConfig" conflicts with "indexConfig"
"""

from trialrun.diagnostic import Finding, Related, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import UnionConflict
from trialrun.model.node import UNSET_IF_EMPTY

REASONS = {
    "source": "a view has at most one source",
    "algorithm_config": "an index has at most one algorithm",
    "upsell_type_config": "an upsell has exactly one type",
    "upsold items": "items are given by name or by id",
    "index": "both configure the index",
    "place": "rows come from one place",
    "content": "rows are written in one form",
    "served": "an entity is either served or missing",
    "query": "a search starts from an entity or a vector",
    "deed": "a step has exactly one action",
    "turns": "turns are given in one form",
    "outcome": "only one outcome is expected",
}
LENIENT = "index"
PREFERRED = {"index": "indexConfig, the other is its deprecated name"}
"""By union: the member to keep, where one of them is preferred."""
CAN_BE_FALSE = "outcome"
"""The union whose members have a meaning when they are false: false is expected."""


@rule(UnionConflict, severity=Severity.ERROR)
def check(misfit: UnionConflict) -> Findings:
    """Flag each member after the first, at its key."""
    if misfit.empty_name and misfit.union in UNSET_IF_EMPTY:
        if misfit.union != "sync option":  # cron-syntax reports an empty schedule
            yield _empty_member(misfit, misfit.empty_name)
        return
    conflict = f'"{misfit.name}" conflicts with "{misfit.first_name}"'
    idle = misfit.is_false and misfit.union != CAN_BE_FALSE
    advice = _advice_about_false(misfit) if idle else _advice(misfit.union)
    yield misfit.finding(
        f"{conflict}{advice}",
        at="key",
        severity=Severity.WARNING if idle or misfit.union == LENIENT else None,
        related=(Related(f'"{misfit.first_name}" is here', misfit.earlier_location, at="key"),),
    )


def _empty_member(misfit: UnionConflict, name: str) -> Finding:
    other = misfit.name if name == misfit.first_name else misfit.first_name
    message = f'"{name}" is empty, which is unset, so only "{other}" counts; remove it'
    return misfit.finding(message, at="key", severity=Severity.NOTE)


def _advice(union: str) -> str:
    if union == "sync option":
        return "; set only one sync option"
    return f": {REASONS[union]}; keep {PREFERRED.get(union, 'one')}"


def _advice_about_false(misfit: UnionConflict) -> str:
    if misfit.name == "continuous":
        return ", and is false, which has no effect; remove it"
    return ", which is false and has no effect; remove that one"
