"""Made-up FeatureViews without a mistake."""

from __future__ import annotations

from typing import Any

from benchmarks.random_source import Dice
from benchmarks.text_pool import ENTITIES, FEATURES, LABELS, MOVING_ZONES, STILL_ZONES, TEAMS

Resource = dict[str, Any]


def feature_view(dice: Dice, number: int, *, lines: int) -> Resource:
    """A view of about so many lines of YAML; its name is unique by its number."""
    entity = dice.pick(ENTITIES)
    view: Resource = {"kind": "FeatureView"} if dice.chance(0.8) else {}
    project = f"corpus-{dice.pick(TEAMS)}"
    store = f"serving_{number % 40:02d}"
    view["name"] = (
        f"projects/{project}/locations/{dice.pick(('us-central1', 'europe-west1', 'asia-northeast1'))}"
        f"/featureOnlineStores/{store}/featureViews/{entity}_{dice.pick(TEAMS)}_{number:05d}"
    )
    if dice.chance(0.2):
        view["etag"] = f"{int(dice.draw() * 16**10):010x}"
    keys = dice.some(LABELS, dice.number(2, 6))
    view["labels"] = {key: f"{dice.pick(TEAMS)}-{dice.number(1, 999)}" for key in keys}
    _source(view, dice, entity)
    _fill(view, dice, lines)
    return view


def _source(view: Resource, dice: Dice, entity: str) -> None:
    draw = dice.draw()
    if draw < 0.45:
        view["featureRegistrySource"] = {"featureGroups": [_group(dice, entity, 0)]}
        if dice.chance(0.5):
            view["featureRegistrySource"]["projectNumber"] = str(dice.number(10**11, 10**12 - 1))
        view["syncConfig"] = {"continuous": True} if dice.chance(0.15) else {"cron": cron(dice)}
    elif draw < 0.93:
        ids = [f"{entity}_id"] if dice.chance(0.8) else [f"{entity}_id", "region"]
        view["warehouseSource"] = {"uri": f"bq://corpus.{dice.pick(TEAMS)}.{entity}_latest", "entityIdColumns": ids}
        view["syncConfig"] = {"cron": cron(dice)}
        if dice.chance(0.4):
            view["indexConfig"] = _index(dice)
        if dice.chance(0.5):
            low = dice.number(1, 4)
            replicas = {"minReplicaCount": low, "maxReplicaCount": low + dice.number(2, 20)}
            view["optimizedConfig"] = {"automaticResources": replicas}
    else:
        view["ragSource"] = {"uri": f"bq://corpus.knowledge.{entity}_pages", "ragCorpusId": str(dice.number(1, 10**17))}
    if dice.chance(0.25):
        view["serviceAgentType"] = dice.pick(("SERVICE_AGENT_TYPE_PROJECT", "SERVICE_AGENT_TYPE_FEATURE_VIEW"))


def cron(dice: Dice) -> str:
    """A schedule on which every scheduler agrees and that no clock change touches."""
    minute = dice.number(0, 59)
    calm = (f"{minute} {dice.number(4, 22)} * * *", f"{minute} {dice.number(4, 22)} * * MON-FRI")
    wide = (f"{minute} */{dice.pick((2, 3, 4, 6))} * * *", f"{minute} * * * *", "*/15 * * * *", f"{minute} 4 1 * *")
    draw = dice.draw()
    if draw < 0.35:
        return f"{dice.pick(('CRON_TZ', 'TZ'))}={dice.pick(MOVING_ZONES)} {dice.pick(calm)}"
    if draw < 0.5:
        return f"CRON_TZ={dice.pick(STILL_ZONES)} {dice.pick(wide)}"
    return dice.pick(calm + wide)


def _index(dice: Dice) -> Resource:
    index: Resource = {"embeddingColumn": "embedding", "embeddingDimension": dice.pick((64, 128, 384, 768, 1536))}
    if dice.chance(0.6):
        index["filterColumns"] = dice.some(("country", "category", "brand", "language", "price_band"), 2)
    if dice.chance(0.4):
        index["crowdingColumn"] = dice.pick(("publisher", "seller", "family"))
    index["distanceMeasureType"] = dice.pick(("DOT_PRODUCT_DISTANCE", "SQUARED_L2_DISTANCE"))
    index["treeAhConfig"] = {"leafNodeEmbeddingCount": str(dice.pick((500, 1000, 2000)))} if dice.chance(0.7) else {}
    return index


def _group(dice: Dice, entity: str, number: int) -> Resource:
    """A feature group; its features are told apart by its number, since a view takes no id from two groups."""
    ids = dice.some(FEATURES, dice.number(4, 12))
    return {"featureGroupId": f"{entity}_group_{number}", "featureIds": [f"{id_}_{number}" for id_ in ids]}


def _fill(view: Resource, dice: Dice, lines: int) -> None:
    """Feature groups, or labels where there is no registry, until the view is about so many lines long."""
    groups = view.get("featureRegistrySource", {}).get("featureGroups")
    while groups and len(groups) < 12 and height(view) < lines - 8:
        groups.append(_group(dice, dice.pick(ENTITIES), len(groups)))
    for key in dice.shuffled(LABELS):
        if height(view) >= lines:
            return
        view["labels"].setdefault(key, dice.pick(TEAMS))


def height(value: Any) -> int:
    """About how many lines of YAML a value takes in block style."""
    if isinstance(value, dict):
        return sum(1 + height(item) for item in value.values())
    if isinstance(value, list):
        return sum(max(1, height(item)) for item in value)
    return len(value) // 90 if isinstance(value, str) else 0
