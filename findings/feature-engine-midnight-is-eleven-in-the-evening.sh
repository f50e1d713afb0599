#!/usr/bin/env bash
# The hour of the day as a point on a circle: CyclicalFeatures of feature-engine 1.9.4 (PyPI) takes the largest value that
# it was fitted with for the length of the circle; with the hours 0 to 23, hour 23 gets the point of hour 0, and a table
# without the last hour, or with one only, gives every hour another point.
# Guess before the run: the length is 24, or is asked for.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'feature-engine==1.9.4'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import warnings

import pandas
from feature_engine.creation import CyclicalFeatures

warnings.simplefilter("ignore")
for hours in ([0, 6, 12, 18, 23], [0, 6, 12, 18]):
    table = CyclicalFeatures().fit_transform(pandas.DataFrame({"hour": hours})).round(3) + 0.0
    for row in table.itertuples(index=False):
        print(*map(float, row))
    print()
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
0.0 0.0 1.0
6.0 0.998 -0.068
12.0 -0.136 -0.991
18.0 -0.979 0.203
23.0 0.0 1.0

0.0 0.0 1.0
6.0 0.866 -0.5
12.0 -0.866 -0.5
18.0 0.0 1.0

SEEN
echo "seen as described"
