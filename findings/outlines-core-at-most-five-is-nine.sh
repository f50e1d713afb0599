#!/usr/bin/env bash
# A schema that binds what a language model may write: outlines-core 0.2.14 (PyPI) ignores maximum, minimum, multipleOf and
# uniqueItems without a word, refuses 1e3 for a number and a moment with an offset, but takes 30 February; a pattern a+
# binds the whole text. llguidance 1.9.1 (PyPI) keeps to the limits, knows days and matches a part of the text. Neither lets
# a model write an escaped letter.
# Guess before the run: limits are kept or refused as not supported.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'outlines-core==0.2.14' 'llguidance==1.9.1'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json
import re

import llguidance
from outlines_core.json_schema import build_regex_from_schema

tokenizer = llguidance.LLTokenizer("byte")


def by_llguidance(schema, text):
    matcher = llguidance.LLMatcher(tokenizer, llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema)))
    if matcher.is_error():
        return "not supported"
    tokens = tokenizer.tokenize_str(text)
    return "may write" if matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting() else "refuses"


for schema, text in (
    ({"type": "integer", "minimum": 1, "maximum": 5}, "9"),
    ({"type": "number", "multipleOf": 0.01}, "0.305"),
    ({"type": "number", "multipleOf": 0.01}, "0.30"),
    ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, "[1,1]"),
    ({"type": "number"}, "1e3"),
    ({"type": "string", "format": "date-time"}, '"2026-11-30T08:30:00+01:00"'),
    ({"type": "string", "format": "date"}, '"2026-02-30"'),
    ({"type": "string", "pattern": "a+"}, '"xaay"'),
    ({"type": "string"}, r'"\u00e9"'),
):
    outlines = "may write" if re.fullmatch(build_regex_from_schema(json.dumps(schema)), text) else "refuses"
    print(json.dumps(schema), text, "| outlines-core", outlines, "| llguidance", by_llguidance(schema, text))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
{"type": "integer", "minimum": 1, "maximum": 5} 9 | outlines-core may write | llguidance refuses
{"type": "number", "multipleOf": 0.01} 0.305 | outlines-core may write | llguidance refuses
{"type": "number", "multipleOf": 0.01} 0.30 | outlines-core may write | llguidance may write
{"type": "array", "items": {"type": "integer"}, "uniqueItems": true} [1,1] | outlines-core may write | llguidance not supported
{"type": "number"} 1e3 | outlines-core refuses | llguidance may write
{"type": "string", "format": "date-time"} "2026-11-30T08:30:00+01:00" | outlines-core refuses | llguidance may write
{"type": "string", "format": "date"} "2026-02-30" | outlines-core may write | llguidance refuses
{"type": "string", "pattern": "a+"} "xaay" | outlines-core refuses | llguidance may write
{"type": "string"} "\u00e9" | outlines-core refuses | llguidance refuses
SEEN
echo "seen as described"
