#!/usr/bin/env bash
# Word error rates of transcripts by jiwer 4.0.0 (PyPI), with its RemovePunctuation: every mark is taken out, also within a
# number, so 5.50 and 550, 10:30 and 1030, 1/2 and 12, 1,5 and 15, -5 and 5 are no errors, while 7-up and 7 up are two. Of the
# signs, % goes and $ and € stay, so 10% and 10 are one, $5 and 5 are not.
# Guess before the run: points and colons within a number stay, or become a blank, as a hyphen does.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'jiwer==4.0.0'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import jiwer

words = jiwer.Compose([jiwer.RemovePunctuation(), jiwer.ReduceToListOfListOfWords()])
for said, heard in (
    ("5.50", "550"), ("10:30", "1030"), ("1/2 pound", "12 pound"), ("1,5 liters", "15 liters"), ("-5", "5"), ("7-up", "7 up"),
    ("$5", "5"), ("€5", "5"), ("10%", "10"),
):
    print(said, "|", heard, "|", jiwer.wer(said, heard, reference_transform=words, hypothesis_transform=words))
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
5.50 | 550 | 0.0
10:30 | 1030 | 0.0
1/2 pound | 12 pound | 0.0
1,5 liters | 15 liters | 0.0
-5 | 5 | 0.0
7-up | 7 up | 2.0
$5 | 5 | 1.0
€5 | 5 | 1.0
10% | 10 | 0.0
SEEN
echo "seen as described"
