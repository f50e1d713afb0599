#!/usr/bin/env bash
# Coordinates of a store as text, "52,5 13,4" with decimal commas or "52 30 0 N, 13 24 0 E" without degree signs, are
# read by geopy 2.5.0 (PyPI) from some place in the middle of the text, without an error: they are 13, 4 and 24, 0,
# which are some thousand kilometres south of the store. A distance takes such texts too.
# Guess before the run: an error for both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'geopy==2.5.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from geopy import Point
from geopy.distance import distance

for text in ("52.5 13.4", "52,5 13,4", "52 30 0 N, 13 24 0 E", "13.4E 52.5N"):
    try:
        point = Point(text)
        print(text, "->", point.latitude, point.longitude)
    except ValueError:
        print(text, "-> error")
print("between the first two:", round(distance("52.5 13.4", "52,5 13,4").km), "km")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
52.5 13.4 -> 52.5 13.4
52,5 13,4 -> 13.0 4.0
52 30 0 N, 13 24 0 E -> 24.0 0.0
13.4E 52.5N -> error
between the first two: 4461 km
SEEN
echo "seen as described"
