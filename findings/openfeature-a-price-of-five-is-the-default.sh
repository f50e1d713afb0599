#!/usr/bin/env bash
# Openfeature-sdk 0.10.0 (PyPI), with its provider in memory: a flag whose value is 5, read by get_float_value, is the
# default with TYPE_MISMATCH, while 5.5 and 5.0 are read; a flag whose value is true read by get_integer_value is True. In
# JSON 5.0 and 5 are one number, and a fee lowered from 5.5 to 5 puts every customer back on the fee in the program.
# Guess before the run: 5 is 5.0 for a float, and true is a TYPE_MISMATCH for an integer.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openfeature-sdk==0.10.0
cat >program.py <<'PROGRAM'
import json

from openfeature import api
from openfeature.provider.in_memory_provider import InMemoryFlag, InMemoryProvider

values = {text: json.loads(text) for text in ("5.5", "5.0", "5", "1e1", "true")}
api.set_provider(InMemoryProvider({text: InMemoryFlag("on", {"on": value}) for text, value in values.items()}))
client = api.get_client()
for text in values:
    for name, default in (("float", 9.99), ("integer", 99)):
        details = getattr(client, f"get_{name}_details")(text, default)
        error = f" {details.error_code.value}" if details.error_code else ""
        print(f"a fee of {text} as {name} -> {details.value}{error}")
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
a fee of 5.5 as float -> 5.5
a fee of 5.5 as integer -> 99 TYPE_MISMATCH
a fee of 5.0 as float -> 5.0
a fee of 5.0 as integer -> 99 TYPE_MISMATCH
a fee of 5 as float -> 9.99 TYPE_MISMATCH
a fee of 5 as integer -> 5
a fee of 1e1 as float -> 10.0
a fee of 1e1 as integer -> 99 TYPE_MISMATCH
a fee of true as float -> 9.99 TYPE_MISMATCH
a fee of true as integer -> True
SEEN
echo "seen as described"
