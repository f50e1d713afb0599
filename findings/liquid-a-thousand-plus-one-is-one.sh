#!/usr/bin/env bash
# Filters of Liquid on a price in a text: "1,000" plus 1 is 1 for python-liquid 2.3.6 (PyPI) and liquidjs 10.30.1 (npm), for
# a text that is no number counts as 0. Both print nothing for 1e3. They differ on 3 divided by 2 (1 and 1.5), on 2.5
# rounded (2 and 3) and on the number of parts of "a,b," (3 and 2).
# Guess before the run: an error for "1,000", 1000.0 for 1e3, and the same answers of both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'python-liquid==2.3.6'
npm install --silent --no-audit --no-fund --prefix . liquidjs@10.30.1
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from liquid import Template

for text in ("{{ '1,000' | plus: 1 }}", "{{ 1e3 }}", "{{ 3 | divided_by: 2 }}", "{{ 2.5 | round }}", "{{ 'a,b,' | split: ',' | size }}"):
    print("python-liquid", text, "->", Template(text).render() or "nothing")
PROGRAM
cat >program.mjs <<'PROGRAM'
import { Liquid } from "liquidjs";

const engine = new Liquid();
for (const text of ["{{ '1,000' | plus: 1 }}", "{{ 1e3 }}", "{{ 3 | divided_by: 2 }}", "{{ 2.5 | round }}", "{{ 'a,b,' | split: ',' | size }}"])
  console.log("liquidjs", text, "->", engine.parseAndRenderSync(text) || "nothing");
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
python-liquid {{ '1,000' | plus: 1 }} -> 1
python-liquid {{ 1e3 }} -> nothing
python-liquid {{ 3 | divided_by: 2 }} -> 1
python-liquid {{ 2.5 | round }} -> 2
python-liquid {{ 'a,b,' | split: ',' | size }} -> 3
liquidjs {{ '1,000' | plus: 1 }} -> 1
liquidjs {{ 1e3 }} -> nothing
liquidjs {{ 3 | divided_by: 2 }} -> 1.5
liquidjs {{ 2.5 | round }} -> 3
liquidjs {{ 'a,b,' | split: ',' | size }} -> 2
SEEN
echo "seen as described"
