#!/usr/bin/env bash
# Arguments of a tool arrive in pieces. pydantic-core 2.50.5 and jiter 0.19.0 (PyPI) with allow_partial leave out a text
# that is cut, as it could be another one, but keep an integer that is cut: of {"note": "no ice", "quantity": 12} a reader
# sees the quantity 1 before it sees 12. A number that ends in a point is left out. best-effort-json-parser 1.5.1 (npm)
# keeps all of them, but of 1e2 at the end of the text only the 1.
# Guess before the run: a number at the end of the text is left out as a text is.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pydantic-core==2.50.5' 'jiter==0.19.0'
npm install --silent --no-audit --no-fund --prefix . best-effort-json-parser@1.5.1
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import jiter
import pydantic_core

for text in ('{"note": "no i', '{"note": "no ice", "quantity": 1', '{"note": "no ice", "quantity": 12', '{"price": 8.', '{"price": 8.5'):
    print(text, pydantic_core.from_json(text, allow_partial=True), jiter.from_json(text.encode(), partial_mode=True))
PROGRAM
cat >program.mjs <<'PROGRAM'
import { parse } from "best-effort-json-parser";

for (const text of ['{"note": "no i', '{"quantity": 1', '{"price": 8.', '{"price": 1e2', '{"price": 1e2}']) console.log(text, JSON.stringify(parse(text)));
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"note": "no i {} {}
{"note": "no ice", "quantity": 1 {'note': 'no ice', 'quantity': 1} {'note': 'no ice', 'quantity': 1}
{"note": "no ice", "quantity": 12 {'note': 'no ice', 'quantity': 12} {'note': 'no ice', 'quantity': 12}
{"price": 8. {} {}
{"price": 8.5 {'price': 8.5} {'price': 8.5}
{"note": "no i {"note":"no i"}
{"quantity": 1 {"quantity":1}
{"price": 8. {"price":8}
{"price": 1e2 {"price":1}
{"price": 1e2} {"price":100}
SEEN
echo "seen as described"
