#!/usr/bin/env bash
# proto-plus 1.29.0 (the messages of Google Cloud's Python clients) cuts the seconds of a datetime toward zero and takes the
# microseconds as they are: half a second after midnight of 1960-01-01 becomes 00:00:01.5, a second late, and is read back so.
# protobuf's own FromDatetime rounds down and is right. Whole seconds, and all moments since 1970, are the same in both.
# Guess before the run: both write the same Timestamp.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'proto-plus==1.29.0' 'protobuf==7.36.2'
venv/bin/python - >seen <<'PROGRAM'
from datetime import datetime, timezone

import proto
from google.protobuf import timestamp_pb2


class Reading(proto.Message):
    at = proto.Field(timestamp_pb2.Timestamp, number=1)


for text in ("1960-01-01T00:00:00+00:00", "1960-01-01T00:00:00.500000+00:00", "1970-01-01T00:00:00.500000+00:00"):
    moment = datetime.fromisoformat(text).astimezone(timezone.utc)
    plain = timestamp_pb2.Timestamp()
    plain.FromDatetime(moment)
    print(text, "protobuf", plain.ToJsonString(), "proto-plus", Reading(at=moment).at.rfc3339())
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1960-01-01T00:00:00+00:00 protobuf 1960-01-01T00:00:00Z proto-plus 1960-01-01T00:00:00.000000Z
1960-01-01T00:00:00.500000+00:00 protobuf 1960-01-01T00:00:00.500Z proto-plus 1960-01-01T00:00:01.5Z
1970-01-01T00:00:00.500000+00:00 protobuf 1970-01-01T00:00:00.500Z proto-plus 1970-01-01T00:00:00.5Z
SEEN
echo "seen as described"
