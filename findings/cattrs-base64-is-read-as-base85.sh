#!/usr/bin/env bash
# The bytes of a JSON text by cattrs 26.2.1, with its converter for JSON: base64, which protobuf and most others write, is
# read as base85 without a word, so YQ== is three other bytes, and one letter is no byte. msgspec 0.23.0 and mashumaro 3.23
# read base64, pydantic 2.14.4 takes the letters themselves.
# Guess before the run: base64, or an error for what is none.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check cattrs==26.2.1 pydantic==2.14.4 msgspec==0.23.0 mashumaro==3.23
venv/bin/python - >seen <<'PROGRAM'
import cattrs.preconf.json
import msgspec
from mashumaro.codecs.json import JSONDecoder
from pydantic import TypeAdapter

converter = cattrs.preconf.json.make_converter()
readers = {
    "cattrs": lambda text: converter.loads(text, bytes),
    "msgspec": lambda text: msgspec.json.decode(text, type=bytes),
    "mashumaro": lambda text: JSONDecoder(bytes).decode(text),
    "pydantic": lambda text: TypeAdapter(bytes).validate_json(text),
}
for text in ('"YQ=="', '"a"', '"AAAA"'):
    for name, read in readers.items():
        try:
            print(text, name, read(text))
        except ValueError as error:
            print(text, name, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"YQ==" cattrs b'j\xc5\x84'
"YQ==" msgspec b'a'
"YQ==" mashumaro b'a'
"YQ==" pydantic b'YQ=='
"a" cattrs b''
"a" msgspec ValidationError
"a" mashumaro Error
"a" pydantic b'a'
"AAAA" cattrs b'\x1f|\x02'
"AAAA" msgspec b'\x00\x00\x00'
"AAAA" mashumaro b'\x00\x00\x00'
"AAAA" pydantic b'AAAA'
SEEN
echo "seen as described"
