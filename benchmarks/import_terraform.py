"""Measures `trialrun import terraform` of a large state: `python -m benchmarks.import_terraform`.

Each run writes all views into an empty folder and checks them. Beside it, in turns, a check of the same files without a
cache; whole processes.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.check import environment
from benchmarks.measure import Command, interleaved

VIEW = "google_vertex_ai_feature_online_store_featureview"
MUST, AIM = 3.0, 1.0
"""Seconds for 1,000 views."""


def state(views: int) -> str:
    """A state with views as the provider writes them, and as many resources of other types."""
    resources = [
        resource
        for number in range(views)
        for resource in (_resource(VIEW, number, _view(number)), _resource("google_sql_user", number, _user(number)))
    ]
    values = {"root_module": {"resources": resources}}
    return json.dumps({"format_version": "1.0", "terraform_version": "1.9.8", "values": values})


def _resource(type_: str, number: int, values: dict[str, Any]) -> dict[str, Any]:
    return {
        "address": f"{type_}.x[{number}]",
        "mode": "managed",
        "type": type_,
        "name": "x",
        "index": number,
        "provider_name": "registry.terraform.io/hashicorp/google",
        "schema_version": 0,
        "values": values,
        "sensitive_values": {},
    }


def _view(number: int) -> dict[str, Any]:
    name = f"menu-{number:05}"
    return {
        "name": name,
        "project": "acme",
        "region": "us-central1",
        "feature_online_store": f"store-{number % 20}",
        "labels": {"team": "menu", "tier": "gold"},
        "terraform_labels": {"team": "menu", "tier": "gold"},
        "effective_labels": {"team": "menu", "tier": "gold"},
        "create_time": "2026-01-01T00:00:00Z",
        "update_time": "2026-01-02T00:00:00Z",
        "id": f"projects/acme/locations/us-central1/featureOnlineStores/s/featureViews/{name}",
        "timeouts": None,
        "sync_config": [
            {"cron": f"CRON_TZ=America/Chicago {number // 24 % 60} {number % 24} * * *", "continuous": False}
        ],
        "big_query_source": [{"uri": f"bq://acme.kitchen.menu_{number}", "entity_id_columns": ["item_id"]}],
        "feature_registry_source": [],
        "vector_search_config": [
            {
                "embedding_column": "embedding",
                "filter_columns": ["category", "daypart"],
                "crowding_column": "category",
                "distance_measure_type": "DOT_PRODUCT_DISTANCE",
                "embedding_dimension": 768,
                "tree_ah_config": [{"leaf_node_embedding_count": "500"}],
                "brute_force_config": [],
            }
        ],
    }


def _user(number: int) -> dict[str, Any]:
    return {"name": f"user-{number}", "password": "secret", "instance": "main", "host": "", "type": "BUILT_IN"}


def main() -> None:
    """Measure as the command line asks."""
    import sys

    parser = argparse.ArgumentParser(prog="python -m benchmarks.import_terraform", description=__doc__)
    parser.add_argument("--views", type=int, default=1000, help="how many views (default 1000)")
    parser.add_argument("--times", type=int, default=5, help="runs (default 5)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as name:
        folder, variables = Path(name), environment(Path(name))
        (folder / "state.json").write_text(state(options.views), encoding="utf-8")
        ours = [sys.executable, "-m", "trialrun"]
        folders = [f"config-{number}" for number in range(options.times)]
        imports = [
            interleaved([Command([*ours, "import", "state.json", "--to", to], folder, variables)], times=1)[0][0]
            for to in folders
        ]
        (checks,) = interleaved(
            [Command([*ours, "check", "--no-cache", folders[0]], folder, variables)], times=options.times
        )
    print("| work | wall | CPU | memory | must | aim |")
    print("|---|--:|--:|--:|--:|--:|")
    for work, runs in (("import", imports), ("check of the same files", checks)):
        wall, cpu, peak = (
            median(values) for values in zip(*((run.wall, run.cpu, run.peak) for run in runs), strict=True)
        )
        limits = f"{MUST:g} s | {AIM:g} s" if work == "import" else " | "
        print(f"| {work}, {options.views} views | {wall:.2f} s | {cpu:.2f} s | {peak:.0f} MiB | {limits} |")


if __name__ == "__main__":
    main()
