#!/usr/bin/env bash
# The time zone of a store by its place: geo-tz 8.1.9 (npm) gives Europe/Berlin for Oslo, Copenhagen and Stockholm,
# Europe/Brussels for Amsterdam, Africa/Abidjan for Reykjavik and Asia/Dubai for Muscat, since it merges zones that agree
# since 1970; timezonefinder 9.0.0 and tzfpy 2.1.1 (PyPI) give those of the country. Of Urumqi, which has two, tzfpy takes the
# one and the others the other.
# Guess before the run: the zone of the country in each.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . geo-tz@8.1.9
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check timezonefinder==9.0.0 timezonefinder-data==3.2026.3.post1 tzfpy==2.1.1
cat >program.mjs <<'PROGRAM'
import fs from "node:fs";
import { find } from "geo-tz";

for (const [name, latitude, longitude] of JSON.parse(fs.readFileSync("places.json"))) console.log(name, find(latitude, longitude).join(" "));
PROGRAM
venv/bin/python - >seen <<'PROGRAM'
import json
import tzfpy
from timezonefinder import TimezoneFinder

finder = TimezoneFinder()
places = [("Oslo", 59.91, 10.75), ("Stockholm", 59.33, 18.07), ("Amsterdam", 52.37, 4.9), ("Reykjavik", 64.15, -21.94), ("Muscat", 23.6, 58.4), ("Urumqi", 43.8, 87.6)]
for name, latitude, longitude in places:
    print(name, finder.timezone_at(lat=latitude, lng=longitude), tzfpy.get_tz(longitude, latitude))
with open("places.json", "w") as file:
    json.dump(places, file)
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
Oslo Europe/Oslo Europe/Oslo
Stockholm Europe/Stockholm Europe/Stockholm
Amsterdam Europe/Amsterdam Europe/Amsterdam
Reykjavik Atlantic/Reykjavik Atlantic/Reykjavik
Muscat Asia/Muscat Asia/Muscat
Urumqi Asia/Urumqi Asia/Shanghai
Oslo Europe/Berlin
Stockholm Europe/Berlin
Amsterdam Europe/Brussels
Reykjavik Africa/Abidjan
Muscat Asia/Dubai
Urumqi Asia/Urumqi Asia/Shanghai
SEEN
echo "seen as described"
