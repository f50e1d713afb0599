"""What the service of configs does without until it is called: it is in the base install."""

from __future__ import annotations

import subprocess
import sys

NEVER = (
    "cel_expr_python",
    "duckdb",
    "faiss",
    "google.protobuf",
    "numpy",
    "sqlite3",
    "yaml",
    "trialrun.model.feature_view",
    "trialrun.runtime.feature_view",
    "trialrun.service.feature_view",
    "trialrun.values.cel",
)


def test_importing_it_loads_no_engine_and_nothing_of_views() -> None:
    code = "import sys, trialrun.service.channel_config; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint(NEVER)
