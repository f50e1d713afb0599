#!/usr/bin/env bash
# proto-plus 1.29.0 (the messages of Google Cloud's Python clients) takes 1.5 and -1.9 for an int64 field as 1 and -1, and the text "5"
# as 5; the same values for an int32 field are refused, as protobuf 7.36.2 refuses them for both.
# Guess before the run: it takes what protobuf takes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'proto-plus==1.29.0' 'protobuf==7.36.2'
venv/bin/python - >seen <<'PROGRAM'
import proto


class Line(proto.Message):
    long = proto.Field(proto.INT64, number=1)
    short = proto.Field(proto.INT32, number=2)


def said(message: type, field: str, value: object) -> object:
    try:
        return getattr(message(**{field: value}), field)
    except TypeError:
        return "TypeError"


plain = Line.pb(Line()).__class__
for value in (1.5, -1.9, "5"):
    for field in ("long", "short"):
        print(repr(value), field, "proto-plus", said(Line, field, value), "protobuf", said(plain, field, value))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1.5 long proto-plus 1 protobuf TypeError
1.5 short proto-plus TypeError protobuf TypeError
-1.9 long proto-plus -1 protobuf TypeError
-1.9 short proto-plus TypeError protobuf TypeError
'5' long proto-plus 5 protobuf TypeError
'5' short proto-plus TypeError protobuf TypeError
SEEN
echo "seen as described"
