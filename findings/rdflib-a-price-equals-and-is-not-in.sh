#!/usr/bin/env bash
# SPARQL: 8.0 = 8 is true for rdflib 7.6.0 and pyoxigraph 0.5.13 (PyPI), but 8.0 IN (8, 9) is false for rdflib, which
# compares members of a list as terms; the recommendation defines IN by "=". "10:00:00" < "11:00:00" of type xsd:time and
# xsd:integer(8.9) have no value for it; pyoxigraph answers true and 8.
# Guess before the run: true, true, true and 8 from both.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'rdflib==7.6.0' 'pyoxigraph==0.5.13'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import pyoxigraph
import rdflib

prefix = "PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> SELECT (%s AS ?x) {}"


def first(rows):
    value = rows[0][0] if rows else None
    return "no value" if value is None else getattr(value, "value", value)


for text in ("8.0 = 8", "8.0 IN (8, 9)", '"10:00:00"^^xsd:time < "11:00:00"^^xsd:time', "xsd:integer(8.9)"):
    mine, theirs = list(rdflib.Graph().query(prefix % text)), list(pyoxigraph.Store().query(prefix % text))
    print(text, "| rdflib", str(first(mine)).lower(), "| pyoxigraph", first(theirs))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
8.0 = 8 | rdflib true | pyoxigraph true
8.0 IN (8, 9) | rdflib false | pyoxigraph true
"10:00:00"^^xsd:time < "11:00:00"^^xsd:time | rdflib no value | pyoxigraph true
xsd:integer(8.9) | rdflib no value | pyoxigraph 8
SEEN
echo "seen as described"
