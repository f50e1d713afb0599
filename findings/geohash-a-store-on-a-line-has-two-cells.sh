#!/usr/bin/env bash
# Cells of stores by pygeohash 3.5.1 (PyPI) and ngeohash 0.6.4 (npm): a place on the line between two cells is in the eastern
# and northern one for the first and in the western and southern one for the second. On the meridian of Greenwich, on the
# equator and at 45 degrees north they differ from the first letter, so a store is not found under the cell of the customer
# beside it.
# Guess before the run: one cell from both, as the rule has one side of each line.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pygeohash==3.5.1'
npm install --silent --no-audit --no-fund --prefix . ngeohash@0.6.4
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import pygeohash

for name, latitude, longitude in (
    ("Berlin", 52.52, 13.405), ("Greenwich", 51.4779, 0.0), ("on the equator", 0.0, 32.4), ("at 45 north", 45.0, 7.6), ("at 0, 0", 0.0, 0.0),
):
    print("Python", name, pygeohash.encode(latitude, longitude, 6))
PROGRAM
cat >program.mjs <<'PROGRAM'
import geohash from "ngeohash";

const places = [["Berlin", 52.52, 13.405], ["Greenwich", 51.4779, 0], ["on the equator", 0, 32.4], ["at 45 north", 45, 7.6], ["at 0, 0", 0, 0]];
for (const [name, latitude, longitude] of places) console.log("JavaScript", name, geohash.encode(latitude, longitude, 6));
PROGRAM
TZ=UTC node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Python Berlin u33dc0
Python Greenwich u10hb5
Python on the equator s8p012
Python at 45 north u0j2hb
Python at 0, 0 s00000
JavaScript Berlin u33dc0
JavaScript Greenwich gcpuzg
JavaScript on the equator kxzpcr
JavaScript at 45 north spvruz
JavaScript at 0, 0 7zzzzz
SEEN
echo "seen as described"
