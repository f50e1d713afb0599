#!/usr/bin/env bash
# Types of pykwalify 1.8.0 (PyPI): a timestamp above 2147483647, a moment after January 2038, is refused; a float takes the
# text "8.50", and so does a number; a bool does not take "yes".
# Guess before the run: large timestamps are valid and texts are not.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pykwalify==1.8.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import logging

import pykwalify.core

logging.disable(logging.CRITICAL)
for kind, value in (("timestamp", 2147483647), ("timestamp", 2147483648), ("float", "8.50"), ("number", "8.50"), ("int", "8"), ("bool", "yes")):
    try:
        pykwalify.core.Core(source_data={"q": value}, schema_data={"type": "map", "mapping": {"q": {"type": kind}}}).validate()
        print(kind, repr(value), "valid")
    except Exception as error:
        print(kind, repr(value), "refused")
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
timestamp 2147483647 valid
timestamp 2147483648 refused
float '8.50' valid
number '8.50' valid
int '8' refused
bool 'yes' refused
SEEN
echo "seen as described"
