"""The changes of a resource, and the lines of what is left of it."""

from __future__ import annotations

from typing import Any

from tests.runtime.channel_config.brands import brands
from trialrun.model.companion import Brand
from trialrun.model.feature_view import FeatureView
from trialrun.runtime.declaration import DeclaredResource
from trialrun.runtime.scenario.mutation.field_mutations import mutations
from trialrun.runtime.scenario.mutation.mutant import REMOVED, Mutant, canonical_value, mutant_of

CONFIG = """
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/house
    displayName: House
    type: UPSELL_STRATEGY
    tone: FRIENDLY
    operationsConfig:
      description: of the house
      defaultLanguageCode: en
      featuresConfig: {orderPickup: {}, budgetBasedOrdering: true}
      upsellStrategy:
        maxUpsellOffers: 2
        maxItemsInCart: 0
        upsells:
          - displayName: Fries
            priority: 1
            celUpsell: {conditionExpression: order.subtotal > 5.0, suggestedMenuItems: [Fries], priority: 4}
          - displayName: Pie
            priority: 7
            closingOffer:
              closingMessages:
                - skipTerms: [Pie, Cake]
                  offerMessage:
                    messageFrequency: 0.5
                    upsoldItems: [Pie]
                    messageConfigs: [{languageCode: en, messageText: Pie?}]
"""
STRATEGY = "operationsConfig.upsellStrategy"
MESSAGE = f"{STRATEGY}.upsells[Pie].closingOffer.closingMessages[Pie]"


def config(text: str = CONFIG) -> DeclaredResource[Any]:
    return brands(text).configs[0]


def mutants(resource: DeclaredResource[Any]) -> list[Mutant]:
    value = canonical_value(resource)
    found = (mutant_of(resource, value, mutation) for mutation in mutations(resource, value))
    return [mutant for mutant in found if mutant is not None]


def test_every_meaning_of_a_config_is_changed() -> None:
    changes = {
        (mutant.field, mutant.after if mutant.after is REMOVED else str(mutant.after)) for mutant in mutants(config())
    }
    assert changes == {
        ("tone", "CONCISE_AND_DIRECT"),
        ("operationsConfig.defaultLanguageCode", REMOVED),
        ("operationsConfig.featuresConfig.orderPickup", REMOVED),
        ("operationsConfig.featuresConfig.budgetBasedOrdering", "False"),
        (f"{STRATEGY}.maxUpsellOffers", "1"),
        (f"{STRATEGY}.maxItemsInCart", "1"),
        (f"{STRATEGY}.upsells[Fries]", REMOVED),
        (f"{STRATEGY}.upsells[Pie]", REMOVED),
        (f"{STRATEGY}.upsells[Fries].priority", "7"),
        (f"{STRATEGY}.upsells[Fries].celUpsell.conditionExpression", "order.subtotal >= 5.0"),
        (f"{STRATEGY}.upsells[Fries].celUpsell.conditionExpression", "order.subtotal > 6.0"),
        (f"{STRATEGY}.upsells[Fries].celUpsell.priority", "3"),
        (f"{MESSAGE}.skipTerms[0]", REMOVED),
        (f"{MESSAGE}.skipTerms[1]", REMOVED),
        (f"{MESSAGE}.offerMessage.messageFrequency", "0.0"),
        (f"{MESSAGE}.offerMessage.upsoldItems", REMOVED),
    }


def test_priorities_are_exchanged() -> None:
    swapped = next(mutant for mutant in mutants(config()) if mutant.field.endswith("[Fries].priority"))
    upsells = swapped.changed.node.operationsConfig.upsellStrategy.upsells
    assert [upsell.priority for upsell in upsells] == [7, 1]


def test_what_is_behind_a_removed_item_keeps_its_lines() -> None:
    without = next(mutant for mutant in mutants(config()) if mutant.field.endswith("upsells[Fries]"))
    pie = without.changed.node.operationsConfig.upsellStrategy.upsells[0]
    assert without.changed.locate(pie.location("priority")).start.line == 18
    assert without.line == 14


def test_a_change_that_the_model_refuses_is_none() -> None:
    lone = config(CONFIG.replace("        maxItemsInCart: 0\n", ""))
    assert all(mutant.changed.node.operationsConfig is not None for mutant in mutants(lone))


def test_the_original_stays() -> None:
    resource = config()
    before = canonical_value(resource)
    mutants(resource)
    assert canonical_value(resource) == before


def test_stores_are_changed_but_not_removed() -> None:
    brand = brands(
        "kind: Brand\nname: acme\ndefaults: [house]\nstores: [{name: a, tags: [city, new]}, {name: b, defaults: [c]}]"
    ).brands[0]
    assert isinstance(brand.node, Brand)
    assert [mutant.field for mutant in mutants(brand)] == [
        "defaults",
        "stores[a].tags[0]",
        "stores[a].tags[1]",
        "stores[b].defaults",
    ]


def test_a_view_is_changed_without_what_has_no_effect_here() -> None:
    value = {
        "name": "v",
        "labels": {"team": "a"},
        "syncConfig": {"cron": "0 3 * * *"},
        "featureRegistrySource": {"featureGroups": [{"featureGroupId": "g", "featureIds": ["x", "y"]}]},
        "indexConfig": {
            "embeddingColumn": "e",
            "filterColumns": ["f"],
            "crowdingColumn": "c",
            "distanceMeasureType": "COSINE_DISTANCE",
            "embeddingDimension": 3,
            "treeAhConfig": {"leafNodeEmbeddingCount": "10"},
        },
        "optimizedConfig": {"automaticResources": {"minReplicaCount": 3}},
    }
    view: DeclaredResource[Any] = DeclaredResource(
        FeatureView.model_validate(value),
        "v.yaml",
        "",
        0,
        lambda place: None,  # type: ignore[arg-type, return-value]
    )
    found = mutations(view, canonical_value(view))
    assert [".".join(map(str, mutation.path)) for mutation in found] == [
        "syncConfig.cron",
        "syncConfig.cron",
        "indexConfig.filterColumns",
        "indexConfig.crowdingColumn",
        "indexConfig.distanceMeasureType",
        "featureRegistrySource.featureGroups.0.featureIds.0",
        "featureRegistrySource.featureGroups.0.featureIds.1",
    ]
