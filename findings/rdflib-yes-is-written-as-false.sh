#!/usr/bin/env bash
# A literal "yes" of type xsd:boolean, as menus in Turtle have it: rdflib 7.6.0 (PyPI) keeps the type, and writes the graph
# again with "false". It knows that the literal is ill-typed, and keeps the text of other ill-typed ones ("08:30h" of type
# xsd:time); "1_000" is an integer for it and is written as 1000.
# Guess before the run: the text is kept, as that of the time is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'rdflib==7.6.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import logging

import rdflib

logging.disable(logging.CRITICAL)
menu = """
@prefix : <https://example.com/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:coke :inStock "yes"^^xsd:boolean ; :opens "08:30h"^^xsd:time ; :rank "1_000"^^xsd:integer .
"""
written = rdflib.Graph().parse(data=menu, format="turtle").serialize(format="nt")
for line in sorted(written.strip().splitlines()):
    print(line.replace("https://example.com/", "").replace("http://www.w3.org/2001/XMLSchema#", ""))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
<coke> <inStock> "false"^^<boolean> .
<coke> <opens> "08:30h"^^<time> .
<coke> <rank> "1000"^^<integer> .
SEEN
echo "seen as described"
