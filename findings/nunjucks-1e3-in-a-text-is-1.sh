#!/usr/bin/env bash
# Templates for Jinja in JavaScript: nunjucks 3.2.4 (npm) prints nothing for the number 1e3, its filter int makes 1 of the
# text "1e3" where that of jinja2 3.1.6 (PyPI) makes 1000, an empty list is true, and title leaves the second part of "mac-
# and-cheese" small.
# Guess before the run: the same texts from both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'jinja2==3.1.6'
npm install --silent --no-audit --no-fund --prefix . nunjucks@3.2.4
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from jinja2 import Environment

for text in ("{{ 1e3 }}", "{{ '1e3' | int }}", "{{ 'yes' if [] else 'no' }}", "{{ 'mac-and-cheese' | title }}", "{{ '12 oz' | int }}"):
    print("jinja2", text, "->", Environment().from_string(text).render())
PROGRAM
cat >program.mjs <<'PROGRAM'
import nunjucks from "nunjucks";

for (const text of ["{{ 1e3 }}", "{{ '1e3' | int }}", "{{ 'yes' if [] else 'no' }}", "{{ 'mac-and-cheese' | title }}", "{{ '12 oz' | int }}"])
  console.log("nunjucks", text, "->", nunjucks.renderString(text, {}));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
jinja2 {{ 1e3 }} -> 1000.0
jinja2 {{ '1e3' | int }} -> 1000
jinja2 {{ 'yes' if [] else 'no' }} -> no
jinja2 {{ 'mac-and-cheese' | title }} -> Mac-And-Cheese
jinja2 {{ '12 oz' | int }} -> 0
nunjucks {{ 1e3 }} -> 
nunjucks {{ '1e3' | int }} -> 1
nunjucks {{ 'yes' if [] else 'no' }} -> yes
nunjucks {{ 'mac-and-cheese' | title }} -> Mac-and-cheese
nunjucks {{ '12 oz' | int }} -> 12
SEEN
echo "seen as described"
