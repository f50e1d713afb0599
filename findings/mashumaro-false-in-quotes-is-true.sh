#!/usr/bin/env bash
# mashumaro 3.23 decodes JSON into types: the text "false" is true, 1.5 is the int 1, a price of 19.99 is a Decimal of 48
# digits, 1e400 an infinite one, a text is a list of its letters, and of [1, 2, 3] a pair keeps two. pydantic 2.14.4 and
# msgspec 0.23.0 read or refuse each of these.
# Guess before the run: the text is false or an error; a Decimal has the digits of the file.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check mashumaro==3.23 pydantic==2.14.4 msgspec==0.23.0
venv/bin/python - >seen <<'PROGRAM'
from decimal import Decimal
import msgspec
from mashumaro.codecs.json import JSONDecoder
from pydantic import TypeAdapter

cases = ((bool, '"false"'), (int, "1.5"), (Decimal, "19.99"), (Decimal, "1e400"), (list[str], '"ab"'), (tuple[int, int], "[1, 2, 3]"))
readers = {
    "mashumaro": lambda kind, text: JSONDecoder(kind).decode(text),
    "pydantic": lambda kind, text: TypeAdapter(kind).validate_json(text),
    "msgspec": lambda kind, text: msgspec.json.decode(text, type=kind),
}
for kind, text in cases:
    for name, read in readers.items():
        try:
            print(text, name, repr(read(kind, text)))
        except ValueError as error:
            print(text, name, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"false" mashumaro True
"false" pydantic False
"false" msgspec ValidationError
1.5 mashumaro 1
1.5 pydantic ValidationError
1.5 msgspec ValidationError
19.99 mashumaro Decimal('19.989999999999998436805981327779591083526611328125')
19.99 pydantic Decimal('19.99')
19.99 msgspec Decimal('19.99')
1e400 mashumaro Decimal('Infinity')
1e400 pydantic ValidationError
1e400 msgspec Decimal('1E+400')
"ab" mashumaro ['a', 'b']
"ab" pydantic ValidationError
"ab" msgspec ValidationError
[1, 2, 3] mashumaro (1, 2)
[1, 2, 3] pydantic ValidationError
[1, 2, 3] msgspec ValidationError
SEEN
echo "seen as described"
