#!/usr/bin/env bash
# The newest row of each id before a moment, where two rows have one moment: DuckDB 2.0.1 (ASOF JOIN) takes the first of them as
# the table has them, pandas 3.1.1, polars 2.1.0 and pyarrow 26.0.1 the last. A question without an id meets a row without an
# id in pandas and pyarrow, as if null were an id, and none in DuckDB and polars.
# Guess before the run: the last row everywhere, and nothing for a question without an id.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'duckdb==2.0.1' 'pandas==3.1.1' 'polars==2.1.0' 'pyarrow==26.0.1'
venv/bin/python - >seen <<'PROGRAM'
import warnings

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa

warnings.simplefilter("ignore")
rows = {"id": ["a", "a", None], "t": [1, 1, 1], "v": ["first", "second", "of no id"]}
asked = {"id": ["a", None], "t": [2, 2]}
features, questions = pd.DataFrame(rows), pd.DataFrame(asked)
query = "SELECT q.id, v FROM questions q ASOF LEFT JOIN features f ON q.id = f.id AND q.t >= f.t ORDER BY q.id NULLS LAST"
by_arrow = pa.table(asked).join_asof(pa.table(rows), on="t", by="id", tolerance=-10).sort_by("id")
answers = {
    "duckdb": [value for _, value in duckdb.sql(query).fetchall()],
    "pandas": pd.merge_asof(questions, features, on="t", by="id")["v"].tolist(),
    "polars": pl.DataFrame(asked).join_asof(pl.DataFrame(rows), on="t", by="id")["v"].to_list(),
    "pyarrow": by_arrow["v"].to_pylist(),
}
for name, values in answers.items():
    print(name, [value if isinstance(value, str) else None for value in values])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
duckdb ['first', None]
pandas ['second', 'of no id']
polars ['second', None]
pyarrow ['second', 'of no id']
SEEN
echo "seen as described"
