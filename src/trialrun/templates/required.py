"""What a document of each kind needs to be sound: its required fields, and what gives it a purpose."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from trialrun.model.node import SymbolKind
from trialrun.templates.examples import DEFAULT_NAMES, TEXTS, Names
from trialrun.values.resource_name import last_id

Values = dict[str, Any]
UPSELL = "First upsell"
_plain_item = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*")
"""Names that a session script takes as they are."""


def required_values(kind: str, name: str, names: Names) -> Values:
    """The values of a document, with messages as mappings."""
    return {"name": full_name(kind, name, names)} | _VALUES[kind](name, names)


def full_name(kind: str, name: str, names: Names) -> str:
    """The resource name of a document that is called by its id, beside the first of the workspace.

    A name with a slash stays, and so does that of a kind without resource names.
    """
    siblings: dict[str, SymbolKind] = {
        "FeatureView": "view",
        "ChannelConfig": "config",
        "FeatureOnlineStore": "online store",
    }
    if "/" in name or kind not in siblings:
        return name
    return f"{names[siblings[kind]].rpartition('/')[0]}/{name}"


def _feature_view(name: str, names: Names) -> Values:
    return {
        "syncConfig": {"cron": TEXTS["cron"]},
        "warehouseSource": {"uri": names["source"], "entityIdColumns": [names["column"]]},
    }


def _channel_config(name: str, names: Names) -> Values:
    condition = {"conditionExpression": TEXTS["cel-condition"], "suggestedMenuItems": [names["item"]]}
    upsell = {"displayName": UPSELL, "priority": 1, "celUpsell": condition}
    return {"type": "UPSELL_STRATEGY", "operationsConfig": {"upsellStrategy": {"upsells": [upsell]}}}


def _brand(name: str, names: Names) -> Values:
    return {"stores": [{"name": "main-street", "timeZone": TEXTS["time-zone"]}]}


def _menu(name: str, names: Names) -> Values:
    return {"items": [{"name": "Fries"}]}


def _session_schema(name: str, names: Names) -> Values:
    from trialrun.values.cel import DEFAULT_TYPES, DEFAULT_VARIABLES

    return {"types": DEFAULT_TYPES, "variables": DEFAULT_VARIABLES}


def _online_store(name: str, names: Names) -> Values:
    return {"type": "OPTIMIZED"}


def _feature_group(name: str, names: Names) -> Values:
    identifier = re.sub(r"\W+", "_", last_id(name))
    return {
        "featureGroupId": identifier,
        "uri": f"bq://my-project.my_dataset.{identifier}",
        "entityIdColumns": ["id"],
        "features": [{"id": "my_feature"}],
    }


def _source(name: str, names: Names) -> Values:
    table = re.sub(r"\W+", "_", last_id(name))
    columns = [{"name": "id", "type": "STRING"}, {"name": "my_feature", "type": "INT64"}]
    return {"uri": f"bq://my-project.my_dataset.{table}", "files": "data/*.csv", "columns": columns}


def _scenario(name: str, names: Names) -> Values:
    """A session at a store; a sync where the workspace has views and no store."""
    if names["store"] == DEFAULT_NAMES["store"] and names["view"] != DEFAULT_NAMES["view"]:
        return {"steps": [{"sync": {"view": last_id(names["view"]), "expect": {"findings": []}}}]}
    turn = {"customer": "say hello", "expect": {"order": []}}
    if _plain_item.fullmatch(names["item"]):
        turn = {"customer": f"add {names['item']}", "expect": {"order": [names["item"]]}}
    return {"steps": [{"session": {"store": last_id(names["store"]), "turns": [turn]}}]}


_VALUES: Mapping[str, Callable[[str, Names], Values]] = MappingProxyType(
    {
        "FeatureView": _feature_view,
        "ChannelConfig": _channel_config,
        "Brand": _brand,
        "Menu": _menu,
        "SessionSchema": _session_schema,
        "FeatureOnlineStore": _online_store,
        "FeatureGroupTable": _feature_group,
        "Source": _source,
        "Scenario": _scenario,
    }
)
