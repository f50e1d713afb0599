"""The resources of the Google provider that are documents of ours: which argument is which field, and its type.

The types are those of the provider, which converts `"1536"` to a number and `1000` to a text. The models of
`trialrun.model` have the same fields; a test compares both.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from trialrun.parser.terraform.values import as_text

ArgumentType = Literal["text", "integer", "boolean", "texts", "text map", "block", "blocks"]


class Argument(NamedTuple):
    """An argument or a nested block: the field that it sets, its type, and the arguments of a block."""

    field: str
    type: ArgumentType = "text"
    arguments: Mapping[str, Argument] = {}

    @property
    def is_block(self) -> bool:
        return self.type in ("block", "blocks")


SYNC_CONFIG: Final = {"cron": Argument("cron"), "continuous": Argument("continuous", "boolean")}
BIG_QUERY_SOURCE: Final = {"uri": Argument("uri"), "entity_id_columns": Argument("entityIdColumns", "texts")}
FEATURE_GROUPS: Final = {
    "feature_group_id": Argument("featureGroupId"),
    "feature_ids": Argument("featureIds", "texts"),
}
REGISTRY_SOURCE: Final = {
    "project_number": Argument("projectNumber"),
    "feature_groups": Argument("featureGroups", "blocks", FEATURE_GROUPS),
}
TREE_AH_CONFIG: Final = {"leaf_node_embedding_count": Argument("leafNodeEmbeddingCount")}
VECTOR_SEARCH_CONFIG: Final = {
    "embedding_column": Argument("embeddingColumn"),
    "filter_columns": Argument("filterColumns", "texts"),
    "crowding_column": Argument("crowdingColumn"),
    "distance_measure_type": Argument("distanceMeasureType"),
    "embedding_dimension": Argument("embeddingDimension", "integer"),
    "tree_ah_config": Argument("treeAhConfig", "block", TREE_AH_CONFIG),
    "brute_force_config": Argument("bruteForceConfig", "block"),
}
FEATURE_VIEW: Final = {
    "labels": Argument("labels", "text map"),
    "sync_config": Argument("syncConfig", "block", SYNC_CONFIG),
    "big_query_source": Argument("warehouseSource", "block", BIG_QUERY_SOURCE),
    "feature_registry_source": Argument("featureRegistrySource", "block", REGISTRY_SOURCE),
    "vector_search_config": Argument("indexConfig", "block", VECTOR_SEARCH_CONFIG),
}
VIEW_IDENTITY: Final = ("name", "project", "region", "feature_online_store", "deletion_policy")
META_ARGUMENTS: Final = frozenset(
    ("count", "for_each", "provider", "depends_on", "lifecycle", "provisioner", "connection", "timeouts")
)
"""What every resource may have; it is no part of what is made."""
COMPUTED: Final = frozenset(("id", "create_time", "update_time", "effective_labels", "terraform_labels"))
"""What the provider sets."""
STORE_TYPES: Final = {"bigtable": "KEY_VALUE", "optimized": "OPTIMIZED"}
GROUP_SOURCE: Final = {"input_uri": Argument("uri")}
GROUP_TABLE: Final = {
    "entity_id_columns": Argument("entityIdColumns", "texts"),
    "big_query_source": Argument("source", "block", GROUP_SOURCE),
}

VIEW: Final = "google_vertex_ai_feature_online_store_featureview"
STORE: Final = "google_vertex_ai_feature_online_store"
GROUP: Final = "google_vertex_ai_feature_group"
FEATURE: Final = "google_vertex_ai_feature_group_feature"
TABLE: Final = "google_bigquery_table"
KINDS: Final = {VIEW: "FeatureView", STORE: "FeatureOnlineStore", GROUP: "FeatureGroupTable", TABLE: "Source"}
"""The kind of document that a type of resource makes; features are parts of their group."""
PREFIX: Final = "google_vertex_ai_feature"
OTHER_TYPES: Final = frozenset(
    (FEATURE, "google_vertex_ai_featurestore", "google_vertex_ai_featurestore_entitytype",
     "google_vertex_ai_featurestore_entitytype_feature", "google_vertex_ai_feature_group_iam_member")
)  # fmt: skip
"""Types of the provider with the same beginning that make no document."""
IAM_SUFFIXES: Final = ("_iam_member", "_iam_binding", "_iam_policy")

STANDARD_TYPES: Final = {
    "INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "RECORD": "STRUCT", "DECIMAL": "NUMERIC",
}  # fmt: skip
"""The names of standard SQL for the older ones of table schemas."""
NESTED_BLOCKS: Final = frozenset(
    ("sync_config", "big_query_source", "feature_registry_source", "feature_groups", "vector_search_config",
     "tree_ah_config", "brute_force_config", "bigtable", "optimized", "big_query", "dynamic", "content")
)  # fmt: skip
"""Blocks inside of resources, which the JSON syntax writes as objects, or lists of them."""
MAX_RECORD_DEPTH: Final = 15
"""Records inside of records that a table may have."""
BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}
"""The texts that are converted to a boolean."""
_whole_number = re.compile(r"(-?[0-9]{1,19})(?:\.0{1,19})?").fullmatch


def convert(value: Any, type_: ArgumentType) -> Any:
    """A value as the provider converts it to the type of its argument; one that it refuses stays as it is."""
    if type_ == "texts" and isinstance(value, list):
        return [convert(item, "text") for item in value]
    if type_ == "text map" and isinstance(value, dict):
        return {key: convert(item, "text") for key, item in value.items() if item is not None}
    if type_ == "boolean" and isinstance(value, str):
        return BOOLEANS.get(value, value)
    if type_ == "integer" and isinstance(value, str) and (whole := _whole_number(value)):
        return int(whole[1])
    return as_text(value) if type_ == "text" and isinstance(value, bool | int | float) else value


def column_type(field: Mapping[str, Any], depth: int = 0) -> str:
    """The type of a column of a table schema in standard SQL; that of a record has the types of its fields."""
    word = str(field.get("type", "")).upper()
    inner = field.get("fields")
    type_ = STANDARD_TYPES.get(word, word)
    if type_ != "STRUCT" or not isinstance(inner, list) or depth > MAX_RECORD_DEPTH:
        return type_
    parts = []
    for part in inner:
        if isinstance(part, dict) and isinstance(part.get("name"), str):
            is_repeated = str(part.get("mode")).upper() == "REPEATED"
            inner_type = column_type(part, depth + 1)
            parts.append(f"{part['name']} {f'ARRAY<{inner_type}>' if is_repeated else inner_type}")
    return f"STRUCT<{', '.join(parts)}>"
