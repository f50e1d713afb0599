#!/usr/bin/env bash
# JSON into dataclasses by dataclass-wizard 1.0.0 (PyPI): null in a field of the type str is the text None, in a bool False;
# the bools enabled, maybe and 2 are False without a word, while t is True. The numbers 1.9 and "1e3" are refused as int,
# "7.0" and "1_000" are taken. An object where a list belongs is the list of its keys, and of the keys "1" and "01" of a table
# by number one is left.
# Guess before the run: an error for null where the type has none, and for a bool that is no known word.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'dataclass-wizard==1.0.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import dataclasses

from dataclass_wizard import fromdict

CASES = (
    (str, None), (bool, None), (bool, "enabled"), (bool, "maybe"), (bool, 2), (bool, "t"), (int, 1.9), (int, "1e3"), (int, "7.0"),
    (int, "1_000"), (list[str], {"coke": 2}), (dict[int, str], {"1": "small", "01": "large"}),
)
for kind, value in CASES:
    line = dataclasses.make_dataclass("Line", [("field", kind)])
    try:
        found = repr(fromdict(line, {"field": value}).field)
    except Exception as error:
        found = type(error).__name__
    print(getattr(kind, "__name__", kind) if kind in (str, bool, int) else kind, repr(value), "->", found)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
str None -> 'None'
bool None -> False
bool 'enabled' -> False
bool 'maybe' -> False
bool 2 -> False
bool 't' -> True
int 1.9 -> ParseError
int '1e3' -> ParseError
int '7.0' -> 7
int '1_000' -> 1000
list[str] {'coke': 2} -> ['coke']
dict[int, str] {'1': 'small', '01': 'large'} -> {1: 'large'}
SEEN
echo "seen as described"
