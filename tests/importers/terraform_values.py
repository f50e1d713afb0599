"""Plans and states as `terraform show -json` prints them, around the values of resources."""

import json
from typing import Any

VIEW = "google_vertex_ai_feature_online_store_featureview"
GROUP = "google_vertex_ai_feature_group"
FEATURE = "google_vertex_ai_feature_group_feature"
STORE = "google_vertex_ai_feature_online_store"
VIEW_NAME = "projects/acme/locations/us-central1/featureOnlineStores/kitchen/featureViews/menu"


def resource(type_: str, values: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A resource of a module."""
    return {
        "address": f"{type_}.x",
        "mode": "managed",
        "type": type_,
        "name": "x",
        "provider_name": "registry.terraform.io/hashicorp/google",
        "schema_version": 0,
        "values": values,
        "sensitive_values": {},
    } | more


def state(*resources: dict[str, Any], **module: Any) -> str:
    """A state with resources in its root module."""
    values = {"root_module": {"resources": list(resources), **module}}
    return json.dumps({"format_version": "1.0", "terraform_version": "1.9.8", "values": values})


def plan(*resources: dict[str, Any], unknown: dict[str, Any] | None = None) -> str:
    """A plan that creates resources; `unknown` is what of the first is known only after apply."""
    changes = [
        {
            "address": each["address"],
            "mode": "managed",
            "type": each["type"],
            "name": each["name"],
            "change": {"actions": ["create"], "before": None, "after": each["values"], "after_unknown": {}},
        }
        for each in resources
    ]
    changes[0]["change"]["after_unknown"] = unknown or {}
    return json.dumps(
        {
            "format_version": "1.2",
            "terraform_version": "1.9.8",
            "planned_values": {"root_module": {"resources": list(resources)}},
            "resource_changes": changes,
            "prior_state": {"values": {"root_module": {"resources": []}}},
            "configuration": {"root_module": {}},
        }
    )


def view_values(**changes: Any) -> dict[str, Any]:
    """The attributes of a view in a state, as the provider writes them."""
    return {
        "name": "menu",
        "project": "acme",
        "region": "us-central1",
        "feature_online_store": "kitchen",
        "labels": {"team": "menu"},
        "terraform_labels": {"team": "menu"},
        "effective_labels": {"team": "menu", "goog-terraform-provisioned": "true"},
        "create_time": "2026-01-01T00:00:00Z",
        "update_time": "2026-01-02T00:00:00Z",
        "id": VIEW_NAME,
        "timeouts": None,
        "sync_config": [{"cron": "CRON_TZ=America/Chicago 0 4 * * *", "continuous": False}],
        "big_query_source": [{"uri": "bq://acme.kitchen.menu", "entity_id_columns": ["item_id"]}],
        "feature_registry_source": [],
        "vector_search_config": [],
    } | changes
