#!/usr/bin/env bash
# Messages of protobuf as dataclasses, betterproto 1.2.5 (PyPI): of a duration in JSON the last character is cut, whatever
# it is, so "90" is 9 seconds and "1m" is one second; a microsecond is written as 1e-06s, and -1.5s comes back from the
# bytes as -0.5s.
# Guess before the run: an error for "90" and "1m", 0.000001s, and -1.5s.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'betterproto==1.2.5'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from dataclasses import dataclass
from datetime import timedelta

import betterproto


@dataclass
class Wait(betterproto.Message):
    time: timedelta = betterproto.message_field(1)


for text in ("1.5s", "90", "1m"):
    print(text, "->", Wait().from_dict({"time": text}).to_json())
print("a microsecond ->", Wait(timedelta(microseconds=1)).to_json())
for seconds in (1.5, -1.5, -0.5, -2):
    print(seconds, "->", Wait().parse(bytes(Wait(timedelta(seconds=seconds)))).time.total_seconds())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1.5s -> {"time": "1.500s"}
90 -> {"time": "9.000s"}
1m -> {"time": "1.000s"}
a microsecond -> {"time": "1e-06s"}
1.5 -> 1.5
-1.5 -> -0.5
-0.5 -> 0.5
-2 -> -2.0
SEEN
echo "seen as described"
