#!/usr/bin/env bash
# Canonical JSON, of which hashes and signatures are made, by jcs 0.2.1 and rfc8785 0.1.4 (both of RFC 8785), and
# canonicaljson 2.0.0 (Matrix's): the integers 2^53 and 2^53 + 1 are refused by rfc8785 and have one text in jcs, which are
# two in canonicaljson; 1.0 is 1 or 1.0, 1e16 is 17 digits or 1e+16; keys are sorted by UTF-16 in two and by code points in
# the third.
# Guess before the run: the two of one RFC agree, and differ from the third by 1.0 alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check jcs==0.2.1 rfc8785==0.1.4 canonicaljson==2.0.0
venv/bin/python - >seen <<'PROGRAM'
import canonicaljson
import jcs
import rfc8785

writers = {"jcs": jcs.canonicalize, "rfc8785": rfc8785.dumps, "canonicaljson": canonicaljson.encode_canonical_json}
for value in (1.0, 1e16, 2**53, 2**53 + 1, -0.0, {"\ue000": 1, "\U0001f600": 2}):
    for name, write in writers.items():
        try:
            print(ascii(value), name, ascii(write(value).decode()))
        except ValueError as error:
            print(ascii(value), name, type(error).__name__)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
1.0 jcs '1'
1.0 rfc8785 '1'
1.0 canonicaljson '1.0'
1e+16 jcs '10000000000000000'
1e+16 rfc8785 '10000000000000000'
1e+16 canonicaljson '1e+16'
9007199254740992 jcs '9007199254740992'
9007199254740992 rfc8785 IntegerDomainError
9007199254740992 canonicaljson '9007199254740992'
9007199254740993 jcs '9007199254740992'
9007199254740993 rfc8785 IntegerDomainError
9007199254740993 canonicaljson '9007199254740993'
-0.0 jcs '0'
-0.0 rfc8785 '0'
-0.0 canonicaljson '-0.0'
{'\ue000': 1, '\U0001f600': 2} jcs '{"\U0001f600":2,"\ue000":1}'
{'\ue000': 1, '\U0001f600': 2} rfc8785 '{"\U0001f600":2,"\ue000":1}'
{'\ue000': 1, '\U0001f600': 2} canonicaljson '{"\ue000":1,"\U0001f600":2}'
SEEN
echo "seen as described"
