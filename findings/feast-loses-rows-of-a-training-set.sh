#!/usr/bin/env bash
# feast 0.67.0 (files): get_historical_features answers three of these six rows. Two rows of one id and moment become one, though
# their labels differ, and an id whose values are all of later moments is left out, while one that has no values at all is there
# with a null. Nothing is reported.
# Guess before the run: one row for each that was asked, with a null where no value was known yet.
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
from feast.types import Int64

here = os.getcwd()
june = lambda day: datetime.datetime(2026, 6, day, tzinfo=datetime.timezone.utc)
rows = {"k": ["a", "later", "later too"], "at": [june(3), june(5), june(5)], "n": [1, 2, 3]}
pd.DataFrame(rows).to_parquet("rows.parquet")
config = RepoConfig(
    project="p", registry=f"{here}/registry.db", provider="local", entity_key_serialization_version=3
)
store = FeatureStore(config=config)
entity = Entity(name="k", value_type=ValueType.STRING)
source = FileSource(path=f"{here}/rows.parquet", timestamp_field="at")
fields = [Field(name="n", dtype=Int64)]
store.apply([entity, FeatureView(name="v", entities=[entity], schema=fields, source=source, ttl=datetime.timedelta(0))])
ids = ["a", "a", "a", "later", "later too", "never"]
days = [june(4), june(4), june(6), june(4), june(4), june(4)]
asked = pd.DataFrame({"k": ids, "event_timestamp": days, "label": [0, 1, 2, 3, 4, 5]})
answer = store.get_historical_features(entity_df=asked, features=["v:n"]).to_df().sort_values("label")
for row in answer.itertuples():
    print("seen", row.label, row.k, "null" if pd.isna(row.n) else int(row.n))
PROGRAM
grep '^seen' output >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
seen 1 a 1
seen 2 a 1
seen 5 never null
SEEN
echo "seen as described"
