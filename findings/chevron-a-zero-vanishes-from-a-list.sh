#!/usr/bin/env bash
# A section of Mustache over a list with a zero: chevron 0.14.0 (PyPI) renders [0, 1, 2] as "1,2,", a free item is gone;
# pystache 0.6.8 (PyPI) and mustache 4.2.0 (npm) render "0,1,2,". A section over the number 0 itself is left out by all
# three, but handlebars 4.7.10 (npm) renders it.
# Guess before the run: all render the three numbers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'chevron==0.14.0' 'pystache==0.6.8'
npm install --silent --no-audit --no-fund --prefix . mustache@4.2.0 handlebars@4.7.10
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import chevron
import pystache

values = {"prices": [0, 1, 2], "zero": 0}
for name, render in (("chevron", chevron.render), ("pystache", pystache.render)):
    print(name, render("{{#prices}}{{.}},{{/prices}}", values), render("{{#zero}}zero{{/zero}}", values) or "nothing")
PROGRAM
cat >program.mjs <<'PROGRAM'
import handlebars from "handlebars";
import mustache from "mustache";

const values = { prices: [0, 1, 2], zero: 0 };
const show = (name, render) => console.log(name, render("{{#prices}}{{.}},{{/prices}}"), render("{{#zero}}zero{{/zero}}") || "nothing");
show("mustache", (text) => mustache.render(text, values));
show("handlebars", (text) => handlebars.compile(text)(values));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
chevron 1,2, nothing
pystache 0,1,2, nothing
mustache 0,1,2, nothing
handlebars 0,1,2, zero
SEEN
echo "seen as described"
