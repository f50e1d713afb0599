#!/usr/bin/env bash
# Whether an address on the border of a zone of delivery is inside depends on the library and on the side: contains of
# shapely 2.2.0 (PyPI) has no border, booleanPointInPolygon of @turf/turf 7.4.0 (npm) all of it, geolib 3.3.14 and
# point-in-polygon 1.1.0 the western and southern sides alone, and geoContains of d3-geo 3.1.2 the eastern and northern
# ones. Of two zones with a common street, none or both may deliver.
# Guess before the run: all of the border or none of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'shapely==2.2.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from shapely import Point, box

for name, place in {"west": (0, 5), "south": (5, 0), "east": (10, 5), "north": (5, 10)}.items():
    print(name, "shapely", box(0, 0, 10, 10).contains(Point(place)))
PROGRAM
npm install --silent --no-audit --no-fund --prefix . @turf/turf@7.4.0 geolib@3.3.14 point-in-polygon@1.1.0 d3-geo@3.1.2
cat >program.mjs <<'PROGRAM'
import { booleanPointInPolygon, polygon } from "@turf/turf";
import { geoContains } from "d3-geo";
import * as geolib from "geolib";
import pointInPolygon from "point-in-polygon";

const ring = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]];
const named = ([longitude, latitude]) => ({ latitude, longitude });
for (const [name, place] of Object.entries({ west: [0, 5], south: [5, 0], east: [10, 5], north: [5, 10] })) {
  const turf = booleanPointInPolygon(place, polygon([ring]));
  const d3 = geoContains({ type: "Polygon", coordinates: [[...ring].reverse()] }, place);
  console.log(name, "turf", turf, "geolib", geolib.isPointInPolygon(named(place), ring.map(named)), "point-in-polygon", pointInPolygon(place, ring), "d3-geo", d3);
}
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
west shapely False
south shapely False
east shapely False
north shapely False
west turf true geolib true point-in-polygon true d3-geo false
south turf true geolib true point-in-polygon true d3-geo false
east turf true geolib false point-in-polygon false d3-geo true
north turf true geolib false point-in-polygon false d3-geo true
SEEN
echo "seen as described"
