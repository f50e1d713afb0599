#!/usr/bin/env bash
# feast 0.67.0 (SQLite online store): materialize of an older window puts older values over newer ones. A value of 5 June is
# served; once 1 to 3 June is filled in later, as after a late file, the value of 1 June is, until the newer window is run again.
# Guess before the run: the store keeps the value of the latest moment, whatever the order of the runs.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'feast==0.67.0'
venv/bin/python - >output 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime, os, warnings

warnings.filterwarnings("ignore")
import pandas as pd
from feast import Entity, FeatureStore, FeatureView, Field, FileSource, RepoConfig, ValueType
from feast.infra.online_stores.sqlite import SqliteOnlineStoreConfig
from feast.types import Int64

here = os.getcwd()
june = lambda day: datetime.datetime(2026, 6, day, tzinfo=datetime.timezone.utc)
pd.DataFrame({"k": ["a", "a"], "at": [june(1), june(5)], "n": [1, 5]}).to_parquet("rows.parquet")
store = FeatureStore(
    config=RepoConfig(
        project="p",
        registry=f"{here}/registry.db",
        provider="local",
        online_store=SqliteOnlineStoreConfig(path=f"{here}/online.db"),
        entity_key_serialization_version=3,
    )
)
entity = Entity(name="k", value_type=ValueType.STRING)
source = FileSource(path=f"{here}/rows.parquet", timestamp_field="at")
fields = [Field(name="n", dtype=Int64)]
store.apply([entity, FeatureView(name="v", entities=[entity], schema=fields, source=source, ttl=datetime.timedelta(0))])
for first, last in [(4, 6), (1, 3), (4, 6)]:
    store.materialize(start_date=june(first), end_date=june(last))
    answer = store.get_online_features(features=["v:n"], entity_rows=[{"k": "a"}]).to_dict()
    print("seen", first, "to", last, answer["n"])
PROGRAM
grep '^seen' output >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
seen 4 to 6 [5]
seen 1 to 3 [1]
seen 4 to 6 [5]
SEEN
echo "seen as described"
