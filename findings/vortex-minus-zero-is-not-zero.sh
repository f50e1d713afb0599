#!/usr/bin/env bash
# Features in files of Vortex, a columnar format, by vortex-data 0.93.0 (PyPI): a filter for 0.0 does not find -0.0, which is
# below zero, and one above 10 finds NaN, as numbers are ordered by their bits; pyarrow 26.0.1 (PyPI) finds -0.0 as zero and
# no NaN.
# Guess before the run: -0.0 is 0.0, and NaN is above nothing, as in IEEE 754.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'vortex-data==0.93.0' 'pyarrow==26.0.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import pyarrow
import pyarrow.compute
import vortex
import vortex.expr

rows = pyarrow.table({"id": [1, 2, 3, 4], "rate": [1.0, -0.0, float("nan"), 0.0]})
vortex.io.write(vortex.array(rows), "features.vortex")
file = vortex.open("features.vortex")
rate, same = vortex.expr.column("rate"), pyarrow.compute.field("rate")
for name, question, other in (
    ("rate == 0.0", rate == 0.0, same == 0.0), ("rate < 0.0", rate < 0.0, same < 0.0), ("rate > 10.0", rate > 10.0, same > 10.0),
):
    print(name, "| Vortex", file.to_arrow(expr=question).read_all()["id"].to_pylist(), "| pyarrow", rows.filter(other)["id"].to_pylist())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
rate == 0.0 | Vortex [4] | pyarrow [2, 4]
rate < 0.0 | Vortex [2] | pyarrow []
rate > 10.0 | Vortex [3] | pyarrow []
SEEN
echo "seen as described"
