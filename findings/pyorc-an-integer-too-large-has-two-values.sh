#!/usr/bin/env bash
# pyorc 0.12.0 writes an integer that its column cannot hold without a word. A tinyint of 300 is read as 44. An int of 2^40 is read by
# pyorc as 2^40 and by pyarrow 26.0.1, from the same file, as 0: one file, two tables. A text longer than its varchar is cut.
# pyarrow refuses to make such an array.
# Guess before the run: either the writer refuses, or both readers agree.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyorc==0.12.0' 'pyarrow==26.0.1'
venv/bin/python - >seen <<'PROGRAM'
import pyarrow as pa
import pyarrow.orc as orc
import pyorc

for kind, value in (("tinyint", 300), ("int", 2**40), ("varchar(3)", "large"), ("bigint", 2**40)):
    with open("values.orc", "wb") as file, pyorc.Writer(file, f"struct<value:{kind}>") as writer:
        writer.write((value,))
    with open("values.orc", "rb") as file:
        by_pyorc = next(pyorc.Reader(file))[0]
    print(kind, repr(value), "pyorc", repr(by_pyorc), "pyarrow", repr(orc.read_table("values.orc")["value"][0].as_py()))
for kind, value in ((pa.int8(), 300), (pa.int32(), 2**40)):
    try:
        pa.array([value], kind)
    except pa.ArrowInvalid as error:
        print("pyarrow", kind, error)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
tinyint 300 pyorc 44 pyarrow 44
int 1099511627776 pyorc 1099511627776 pyarrow 0
varchar(3) 'large' pyorc 'lar' pyarrow 'lar'
bigint 1099511627776 pyorc 1099511627776 pyarrow 1099511627776
pyarrow int8 Value 300 too large to fit in C integer type
pyarrow int32 Value 1099511627776 too large to fit in C integer type
SEEN
echo "seen as described"
