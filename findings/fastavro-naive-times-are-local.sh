#!/usr/bin/env bash
# fastavro 1.13.1 writes a datetime without a zone into timestamp-millis as a time of the machine's zone: with TZ=America/New_York
# noon is read back as 16:00 UTC. One file, written on two machines, has two contents. The Apache library avro 1.12.2 refuses it.
# Guess before the run: a time without a zone is taken for UTC, which is what the field has, on every machine.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'fastavro==1.13.1' 'avro==1.12.2'
venv/bin/python - >seen <<'PROGRAM'
import io, json, os, time
from datetime import datetime
import avro.io, avro.schema, fastavro

schema = {"type": "long", "logicalType": "timestamp-millis"}
for zone in ("UTC", "America/New_York", "Asia/Kolkata"):
    os.environ["TZ"] = zone
    time.tzset()
    stream = io.BytesIO()
    fastavro.schemaless_writer(stream, schema, datetime(2026, 7, 1, 12))
    stream.seek(0)
    print(zone, "fastavro", fastavro.schemaless_reader(stream, schema, None))
    try:
        writer = avro.io.DatumWriter(avro.schema.parse(json.dumps(schema)))
        writer.write(datetime(2026, 7, 1, 12), avro.io.BinaryEncoder(io.BytesIO()))
        print(zone, "avro writes it")
    except Exception as error:
        print(zone, "avro", type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
UTC fastavro 2026-07-01 12:00:00+00:00
UTC avro AvroTypeException
America/New_York fastavro 2026-07-01 16:00:00+00:00
America/New_York avro AvroTypeException
Asia/Kolkata fastavro 2026-07-01 06:30:00+00:00
Asia/Kolkata avro AvroTypeException
SEEN
echo "seen as described"
