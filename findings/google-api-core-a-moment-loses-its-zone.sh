#!/usr/bin/env bash
# DatetimeWithNanoseconds of google-api-core 2.44.0, the moment that proto-plus gives for a Timestamp: its text says Z for a
# time of another zone, so it is two hours off (timestamp_pb is right); two moments that differ in nanoseconds are equal and
# one in a set; a copy has no nanoseconds; the result of replace() has no text, an AttributeError. to_rfc3339 of a datetime
# leaves the zone out, too, unless it is told not to.
# Guess before the run: the zone is converted; a copy is equal in each part; replace keeps the nanoseconds.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check google-api-core==2.44.0
venv/bin/python - >seen <<'PROGRAM'
import copy
import datetime
from google.api_core import datetime_helpers
from google.api_core.datetime_helpers import DatetimeWithNanoseconds

east = datetime.timezone(datetime.timedelta(hours=2))
moment = DatetimeWithNanoseconds(2026, 1, 1, 12, tzinfo=east)
print("text", moment.rfc3339(), "isoformat", moment.isoformat(), "seconds", moment.timestamp_pb().seconds - 1767225600)
print("to_rfc3339", datetime_helpers.to_rfc3339(datetime.datetime(2026, 1, 1, 12, tzinfo=east)))
first = DatetimeWithNanoseconds(2026, 1, 1, nanosecond=123456001, tzinfo=datetime.timezone.utc)
second = DatetimeWithNanoseconds(2026, 1, 1, nanosecond=123456999, tzinfo=datetime.timezone.utc)
print("equal", first == second, "in a set", len({first, second}))
print("copy", copy.copy(first).nanosecond, "original", first.nanosecond)
try:
    print("replace", first.replace(second=5).rfc3339())
except AttributeError as error:
    print("replace", type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
text 2026-01-01T12:00:00.000000Z isoformat 2026-01-01T12:00:00+02:00 seconds 36000
to_rfc3339 2026-01-01T12:00:00.000000Z
equal True in a set 1
copy 0 original 123456001
replace AttributeError
SEEN
echo "seen as described"
