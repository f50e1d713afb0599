#!/usr/bin/env bash
# feast 0.67.0 (SQLite online store) changes nulls inside lists without a word: a list of doubles with a null comes back
# with NaN, a list of texts with an empty text. A feature whose value is null or NaN comes back as None with the status
# PRESENT, not NULL_VALUE.
# Guess before the run: an error for the lists; NULL_VALUE for the null.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'feast==0.67.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import datetime, os, warnings

warnings.filterwarnings("ignore")
import pandas as pd
from feast import Entity, FeatureStore, FeatureView, Field, FileSource, RepoConfig, ValueType
from feast.infra.online_stores.sqlite import SqliteOnlineStoreConfig
from feast.protos.feast.serving.ServingService_pb2 import FieldStatus
from feast.types import Array, Float32, Float64, String

now = pd.Timestamp("2026-06-01", tz="UTC")
pd.DataFrame({"k": ["a"], "event_timestamp": [now]}).to_parquet("rows.parquet")
here = os.getcwd()
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
fields = [Field(name="n", dtype=Array(Float64)), Field(name="t", dtype=Array(String)), Field(name="f", dtype=Float32)]
source = FileSource(path=f"{here}/rows.parquet", timestamp_field="event_timestamp")
view = FeatureView(name="v", entities=[entity], schema=fields, source=source, ttl=datetime.timedelta(0), online=True)
store.apply([entity, view])
rows = [
    {"k": "null", "n": [1.0, None], "t": ["x", None], "f": None, "event_timestamp": now},
    {"k": "nan", "n": [1.0], "t": ["x"], "f": float("nan"), "event_timestamp": now},
]
for row in rows:
    store.write_to_online_store("v", pd.DataFrame([row]))
answer = store.get_online_features(features=["v:n", "v:t", "v:f"], entity_rows=[{"k": "null"}, {"k": "nan"}])
values = answer.to_dict()
print(values["n"], values["t"], values["f"])
statuses = dict(zip(answer.proto.metadata.feature_names.val, answer.proto.results))
print([FieldStatus.Name(status) for status in statuses["f"].statuses])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
[[1.0, nan], [1.0]] [['x', ''], ['x']] [None, None]
['PRESENT', 'PRESENT']
SEEN
echo "seen as described"
