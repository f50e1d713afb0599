"""Example values for the fields of a model, names of the workspace where it has any, and what a document needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from trialrun.model.node import (
    ID,
    SEMANTIC_NAME,
    UNSPECIFIED,
    EntityId,
    FieldSpec,
    Int64Text,
    Node,
    SymbolKind,
    TextFormat,
    field_spec,
    message_fields,
    value_type,
)
from trialrun.values.resource_name import last_id

LOCATION = "projects/my-project/locations/us-central1"
STORE = f"{LOCATION}/featureOnlineStores/my_store"
BRAND = f"{LOCATION}/brands/my-brand"
Names = Mapping[SymbolKind, str]
"""A name of each kind, as references write it."""

DEFAULT_NAMES: Names = {
    "config": f"{BRAND}/channelConfigs/everyday", "brand": BRAND, "store": "main-street", "tag": "drive-thru",
    "binding": "weekends", "item": "Fries", "modifier": "Extra Cheese", "modifier group": "Toppings",
    "upsell": "Fries with burgers", "customer term": "the usual", "tool": "get_order_prices", "online store": STORE,
    "view": f"{STORE}/featureViews/my_view", "feature group": "my_group", "feature": "my_feature",
    "source": "bq://my-project.my_dataset.my_table", "column": "id", "served feature": "my_feature",
    "filter column": "category", "daypart": "breakfast",
}  # fmt: skip
PARENTS: tuple[tuple[SymbolKind, SymbolKind, str], ...] = (
    ("online store", "view", "featureViews"),
    ("brand", "config", "channelConfigs"),
)
CALLED_BY_ID: frozenset[SymbolKind] = frozenset({"view", "store"})
"""Names of which references take the end, as the commands do."""
TEXTS: Mapping[TextFormat, str] = {
    "free-text": "A name for people", "identifier": "my-name", "language-tag": "en-US",
    "time-zone": "America/New_York", "cron": "CRON_TZ=America/New_York 0 4 * * *",
    "timestamp": "2026-01-31T12:00:00Z", "cel-condition": "order.subtotal > 20.0",
    "cel-expression": "order.subtotal > 20.0", "cel-type": "string", "column-type": "STRING", "label": "my-team",
    "opaque": "AMEw9yPq3f8k", "file-glob": "data/*.csv", "file-path": "data/tables.duckdb",
    "database-table": "my_table", "item-name-part": "Shake", "data-finding": "duplicate-entity-ids",
    "data-table": "| id | visits |\n| g1 | 12 |\n", "data-value": "drinks", "text-part": "a part of the text",
    "field-path": "operationsConfig.upsellStrategy.maxUpsellOffers", "config-file": "channels/everyday.yaml",
    "config-or-file": "channels/everyday.yaml", "skip-reason": "condition-false", "order-line": "Fries",
    "session-script": "add Fries", "session-table": "| customer | offered |\n| add Fries | - |\n",
    "state-path": "session.daypartId", "time-of-day": "06:00", "date": "2026-11-01",
}  # fmt: skip
KEYS: Mapping[SymbolKind | TextFormat, str] = {
    "label": "team", "column": "id", "session type": "Order", "session field": "subtotal",
    "session variable": "order", "cel-expression": "order.subtotal > 20.0", "state-path": "session.daypartId",
}  # fmt: skip
FIELDS: Mapping[tuple[str, str], Any] = {
    ("IndexConfig", "embeddingColumn"): "embedding",
    ("IndexConfig", "filterColumns"): ["category"],
    ("IndexConfig", "crowdingColumn"): "family",
    ("IndexConfig", "embeddingDimension"): 768,
    ("TreeAHConfig", "leafNodeEmbeddingCount"): "1000",
    ("AutomaticResources", "minReplicaCount"): 2,
    ("AutomaticResources", "maxReplicaCount"): 6,
    ("Column", "mode"): "REQUIRED",
    ("FeatureGroupTable", "timestampColumn"): "feature_timestamp",
    ("Source", "timestampColumn"): "feature_timestamp",
    ("GivenSource", "timestampColumn"): "feature_timestamp",
    ("MenuItem", "price"): 3.5,
    ("MenuItem", "id"): "item-1",
    ("MenuItem", "categories"): ["Sides"],
    ("ServiceHours", "end"): "10:30",
    ("DateRange", "end"): "2026-12-24",
    ("Modifier", "id"): "modifier-1",
    ("ModifierGroup", "id"): "group-1",
    ("OfferMessage", "messageFrequency"): 0.5,
    ("Source", "format"): "CSV",
    ("Store", "name"): "main-street",
    ("ExpectedCondition", "parts"): {"order.subtotal > 20.0": True},
    ("ExpectedEntity", "values"): {"my_feature": 1},
    ("ExpectedNeighbor", "values"): {"my_feature": 1},
    ("WriteStep", "values"): {"my_feature": 1},
    ("SessionStep", "state"): {"session.daypartId": "breakfast"},
    ("CelUpsell", "triggerReason"): "A large order without fries.",
    ("MessageConfig", "messageText"): "Would you like fries with that?",
    ("Greetings", "greetingPhrases"): ["Welcome! What can I get you?"],
    ("DisambiguationMapping", "customInstruction"): "Ask for the size.",
    ("UpsellStrategy", "cateringGuidelines"): "A party box serves ten.",
    ("SupplementalInstructions", "freeformInstructions"): "Never mention other brands.",
}
"""Fields of which the model says too little for an example that makes sense."""


def example(model: type[Node], name: str, names: Names) -> Any:
    """An example value of a field that holds no messages."""
    given = FIELDS.get((model.__name__, name))
    if given is not None:
        return given
    return _example_of(value_type(model, name), field_spec(model, name), names)


def _example_of(kind: Any, spec: FieldSpec, names: Names, depth: int = 0) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return next(word for word in arguments if not str(word).endswith(UNSPECIFIED))
    if origin is Annotated:
        if any(isinstance(mark, EntityId) for mark in arguments[1:]):
            return "id-1"
        is_int64 = any(isinstance(mark, Int64Text) for mark in arguments[1:])
        return "123456789012" if is_int64 else _example_of(arguments[0], spec, names, depth)
    if origin is list:
        return [_example_of(arguments[0], spec, names, depth)]
    if origin is dict or kind is dict:
        key = KEYS.get(spec.keys[min(depth, len(spec.keys) - 1)], "key") if spec.keys else "key"
        return {key: _example_of(arguments[1], spec, names, depth + 1)}
    if kind is str:
        return _text(spec, names)
    return {bool: True, int: 1, float: 0.5}.get(kind, 1)


def _text(spec: FieldSpec, names: Names) -> str:
    symbol = spec.names or spec.declares
    if symbol is not None:
        if spec.by == ID:
            return f"{names[symbol].lower().replace(' ', '-')}-id"
        if spec.by == SEMANTIC_NAME:
            return names[symbol].lower().replace(" ", "_")
        return names[symbol].rpartition("/")[2] if symbol in CALLED_BY_ID else names[symbol]
    return TEXTS[spec.format or "free-text"]


ORDER = ("Source", "FeatureView", "FeatureOnlineStore", "FeatureGroupTable", "Brand", "ChannelConfig", "Menu")
"""The kinds whose documents declare names, those first that others take names from."""


def workspace_names(documents: Iterable[tuple[str, Node]]) -> Names:
    """The first name of each kind that documents declare, given with their kinds, and examples for all others.

    Views and stores are called by their ids, as in commands. `column` is one of `source`.
    """
    found: dict[SymbolKind, str] = {}
    ours = [(ORDER.index(kind), node) for kind, node in documents if kind in ORDER]
    for _, node in sorted(ours, key=lambda each: each[0]):
        _collect(node, found)
    # resource names that follow from others: those of parents from children, and the other way round
    relatives: dict[SymbolKind, str] = {}
    for parent, child, segment in PARENTS:
        above, below = found.get(parent, ""), found.get(child, "")
        if "/" in above:
            relatives[child] = f"{above}/{segment}/{DEFAULT_NAMES[child].rpartition('/')[2]}"
        elif f"/{segment}/" in below:
            relatives[parent] = below.rpartition(f"/{segment}/")[0]
    return {**DEFAULT_NAMES, **relatives, **found}


def _collect(node: Node, found: dict[SymbolKind, str]) -> None:
    for name in type(node).model_fields:
        spec = field_spec(type(node), name)
        value = getattr(node, name)
        first = value[0] if isinstance(value, list) and value else value
        if spec.declares is not None and "name" in spec.by and isinstance(first, str):
            found.setdefault(spec.declares, first)
    for name, is_list, _ in message_fields(type(node)):
        value = getattr(node, name)
        for part in value if is_list and value else [value] if value else []:
            _collect(part, found)


UPSELL = "First upsell"
_plain_item = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*")
"""Names that a session script takes as they are."""


def required_values(kind: str, name: str, names: Names) -> dict[str, Any]:
    """What a document of a kind needs to be sound and to have a purpose, with messages as mappings."""
    return {"name": full_name(kind, name, names)} | _required_fields(kind, re.sub(r"\W+", "_", last_id(name)), names)


def full_name(kind: str, name: str, names: Names) -> str:
    """The resource name of a document that is called by its id, beside the first of the workspace.

    A name with a slash stays, and so does that of a kind without resource names.
    """
    siblings: dict[str, SymbolKind] = {
        "FeatureView": "view", "ChannelConfig": "config", "FeatureOnlineStore": "online store",
    }  # fmt: skip
    if "/" in name or kind not in siblings:
        return name
    return f"{names[siblings[kind]].rpartition('/')[0]}/{name}"


def _required_fields(kind: str, identifier: str, names: Names) -> dict[str, Any]:
    uri = f"bq://my-project.my_dataset.{identifier}"
    match kind:
        case "FeatureView":
            source = {"uri": names["source"], "entityIdColumns": [names["column"]]}
            return {"syncConfig": {"cron": TEXTS["cron"]}, "warehouseSource": source}
        case "ChannelConfig":
            condition = {"conditionExpression": TEXTS["cel-condition"], "suggestedMenuItems": [names["item"]]}
            upsell = {"displayName": UPSELL, "priority": 1, "celUpsell": condition}
            return {"type": "UPSELL_STRATEGY", "operationsConfig": {"upsellStrategy": {"upsells": [upsell]}}}
        case "Brand":
            return {"stores": [{"name": "main-street", "timeZone": TEXTS["time-zone"]}]}
        case "Menu":
            return {"items": [{"name": "Fries"}]}
        case "SessionSchema":
            from trialrun.values.cel import DEFAULT_TYPES, DEFAULT_VARIABLES

            return {"types": DEFAULT_TYPES, "variables": DEFAULT_VARIABLES}
        case "FeatureOnlineStore":
            return {"type": "OPTIMIZED"}
        case "FeatureGroupTable":
            features = [{"id": "my_feature"}]
            return {"featureGroupId": identifier, "uri": uri, "entityIdColumns": ["id"], "features": features}
        case "Source":
            columns = [{"name": "id", "type": "STRING"}, {"name": "my_feature", "type": "INT64"}]
            return {"uri": uri, "files": "data/*.csv", "columns": columns}
    # a Scenario is a session at a store; a sync where the workspace has views and no store
    if names["store"] == DEFAULT_NAMES["store"] and names["view"] != DEFAULT_NAMES["view"]:
        return {"steps": [{"sync": {"view": last_id(names["view"]), "expect": {"findings": []}}}]}
    turn = {"customer": "say hello", "expect": {"order": []}}
    if _plain_item.fullmatch(names["item"]):
        turn = {"customer": f"add {names['item']}", "expect": {"order": [names["item"]]}}
    return {"steps": [{"session": {"store": last_id(names["store"]), "turns": [turn]}}]}
