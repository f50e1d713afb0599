#!/usr/bin/env bash
# feast 0.67.0 (files and the SQLite online store): of two rows of one id with one moment, the store serves the first and
# get_historical_features answers the last, so a model is trained on a value that is never served. With a column of the times
# of creation both take the row that was made later.
# Guess before the run: both choose alike, with the column or without.
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
made = [june(5), june(4), june(4), june(5)]
rows = {"k": ["a", "a", "b", "b"], "at": [june(3)] * 4, "made": made, "n": [1, 2, 3, 4]}
pd.DataFrame(rows).to_parquet("rows.parquet")
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
fields = [Field(name="n", dtype=Int64)]
views = []
for name, column in (("without", None), ("with", "made")):
    source = FileSource(name=f"of_{name}", path="rows.parquet", timestamp_field="at", created_timestamp_column=column)
    views.append(FeatureView(name=name, entities=[entity], schema=fields, source=source, ttl=datetime.timedelta(0)))
store.apply([entity, *views])
store.materialize(start_date=june(1), end_date=june(9))
asked = pd.DataFrame({"k": ["a", "b"], "event_timestamp": [june(9)] * 2})
for name in ("without", "with"):
    served = store.get_online_features(features=[f"{name}:n"], entity_rows=[{"k": "a"}, {"k": "b"}]).to_dict()["n"]
    trained = store.get_historical_features(entity_df=asked, features=[f"{name}:n"]).to_df().sort_values("k")["n"].tolist()
    print("seen", name, "the column: served", served, "trained on", trained)
PROGRAM
grep '^seen' output >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
seen without the column: served [1, 3] trained on [2, 4]
seen with the column: served [1, 4] trained on [1, 4]
SEEN
echo "seen as described"
