#!/usr/bin/env bash
# fastavro 1.13.1 writes 2147483648 into a field of the type int, which has 32 bits, and cuts 1.9 to 1 there; 1e39 in a float is
# infinity. Nothing is reported, and its own reader gives the large number back. The Apache library avro 1.12.2 refuses all three.
# Guess before the run: what the type cannot hold is an error, as it is for a long.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'fastavro==1.13.1' 'avro==1.12.2'
venv/bin/python - >seen <<'PROGRAM'
import io, json
import avro.io, avro.schema, fastavro

for kind, value in (("int", 2**31), ("int", 1.9), ("int", True), ("float", 1e39), ("long", 2**63)):
    stream = io.BytesIO()
    try:
        fastavro.schemaless_writer(stream, kind, value)
        stream.seek(0)
        print(kind, value, "fastavro", fastavro.schemaless_reader(stream, kind, None))
    except Exception as error:
        print(kind, value, "fastavro", type(error).__name__)
    try:
        avro.io.DatumWriter(avro.schema.parse(json.dumps(kind))).write(value, avro.io.BinaryEncoder(io.BytesIO()))
        print(kind, value, "avro writes it")
    except Exception as error:
        print(kind, value, "avro", type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
int 2147483648 fastavro 2147483648
int 2147483648 avro AvroTypeException
int 1.9 fastavro 1
int 1.9 avro AvroTypeException
int True fastavro 1
int True avro writes it
float 1e+39 fastavro inf
float 1e+39 avro OverflowError
long 9223372036854775808 fastavro OverflowError
long 9223372036854775808 avro AvroTypeException
SEEN
echo "seen as described"
