#!/usr/bin/env bash
# squareup 46.0.0.20260916 makes a catalog object whose type it does not know into a CatalogObject_Item, silently: code that
# tells objects apart by their class takes every future type for an item without data. The text of the type is kept.
# Guess before the run: an error, or a generic class.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'squareup==46.0.0.20260916'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import httpx
from square import Square

answer = {"objects": [{"type": "ITEM", "id": "1", "item_data": {"name": "Pie"}}, {"type": "SEATING_PLAN", "id": "2"}]}
transport = httpx.MockTransport(lambda request: httpx.Response(200, json=answer))
for found in Square(token="x", httpx_client=httpx.Client(transport=transport)).catalog.list():
    print(found.type, type(found).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
ITEM CatalogObject_Item
SEATING_PLAN CatalogObject_Item
SEEN
echo "seen as described"
