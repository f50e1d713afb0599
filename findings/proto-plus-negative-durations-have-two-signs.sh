#!/usr/bin/env bash
# proto-plus 1.29.0 (the messages of Google Cloud's Python clients) writes a timedelta of -1.5 seconds as seconds -2 and nanos
# +500000000. A Duration whose parts have two signs is not valid: protobuf's JSON refuses to write it, a server may refuse it;
# protobuf's own FromTimedelta writes -1 and -500000000. A whole number of seconds is the same in both.
# Guess before the run: both write the same Duration.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'proto-plus==1.29.0' 'protobuf==7.36.2'
venv/bin/python - >seen <<'PROGRAM'
from datetime import timedelta

import proto
from google.protobuf import duration_pb2


class Wait(proto.Message):
    length = proto.Field(duration_pb2.Duration, number=1)


for seconds in (-2.0, -1.5, 1.5):
    plain = duration_pb2.Duration()
    plain.FromTimedelta(timedelta(seconds=seconds))
    print(seconds, "protobuf", plain.seconds, plain.nanos)
    wait = Wait(length=timedelta(seconds=seconds))
    inner = Wait.pb(wait).length
    print(seconds, "proto-plus", inner.seconds, inner.nanos)
    try:
        print(Wait.to_json(wait, indent=None))
    except Exception as error:
        print(type(error).__name__, error)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
-2.0 protobuf -2 0
-2.0 proto-plus -2 0
{"length": "-2s"}
-1.5 protobuf -1 -500000000
-1.5 proto-plus -2 500000000
SerializeToJsonError Failed to serialize length field: Duration is not valid: Sign mismatch..
1.5 protobuf 1 500000000
1.5 proto-plus 1 500000000
{"length": "1.500s"}
SEEN
echo "seen as described"
