#!/usr/bin/env bash
# A wait as a timedelta, by pydantic 2.14.4 and msgspec 0.23.0 (PyPI): both write their schema with the format duration and
# values that this format refuses, by jsonschema-rs 0.61.2: half a second is PT0.5S and a day less -P1D. 400 days are P1Y35D
# for pydantic, which reads them back as 400 and isodate 0.7.2 as a year of the calendar and 35 days, a day more from a leap
# year; msgspec refuses them. Dictionaries with pairs as keys are written as "1,2", which pydantic cannot read again.
# Guess before the run: what is written is valid for the schema written beside it and is read back by others.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pydantic==2.14.4' 'msgspec==0.23.0' 'jsonschema-rs==0.61.2' \
  'isodate==0.7.2'
cat >program.py <<'PROGRAM'
import json
from datetime import date, timedelta

import isodate, jsonschema_rs, msgspec
from pydantic import TypeAdapter, ValidationError

adapter = TypeAdapter(timedelta)
schemas = {"pydantic": adapter.json_schema(mode="serialization"), "msgspec": msgspec.json.schema(timedelta)}
for wait in (timedelta(hours=1), timedelta(seconds=0.5), timedelta(days=-1), timedelta(days=400)):
    for name, text in (("pydantic", adapter.dump_json(wait)), ("msgspec", msgspec.json.encode(wait))):
        valid = jsonschema_rs.validator_for(schemas[name], validate_formats=True).is_valid(json.loads(text))
        print(name, text.decode(), "valid" if valid else "not valid", "for", schemas[name])
text = adapter.dump_json(timedelta(days=400))
start = date(2028, 1, 1)
end = start + isodate.parse_duration(json.loads(text))
print("pydantic:", adapter.validate_json(text).days, "isodate:", (end - start).days)
try:
    print("msgspec:", msgspec.json.decode(text, type=timedelta))
except msgspec.ValidationError as error:
    print("msgspec:", error)
pairs = TypeAdapter(dict[tuple[int, int], str])
try:
    print(pairs.validate_json(pairs.dump_json({(1, 2): "fries"})))
except ValidationError as error:
    print(pairs.dump_json({(1, 2): "fries"}).decode(), error.errors()[0]["type"])
PROGRAM
venv/bin/python program.py >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pydantic "PT1H" valid for {'format': 'duration', 'type': 'string'}
msgspec "PT3600S" valid for {'type': 'string', 'format': 'duration'}
pydantic "PT0.5S" not valid for {'format': 'duration', 'type': 'string'}
msgspec "PT0.5S" not valid for {'type': 'string', 'format': 'duration'}
pydantic "-P1D" not valid for {'format': 'duration', 'type': 'string'}
msgspec "-P1D" not valid for {'type': 'string', 'format': 'duration'}
pydantic "P1Y35D" not valid for {'format': 'duration', 'type': 'string'}
msgspec "P400D" valid for {'type': 'string', 'format': 'duration'}
pydantic: 400 isodate: 401
msgspec: Only units 'D', 'H', 'M', and 'S' are supported when parsing ISO8601 durations
{"1,2":"fries"} tuple_type
SEEN
echo "seen as described"
