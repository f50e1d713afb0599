#!/usr/bin/env bash
# junitparser 5.0.3 counts the elements of a test case, not the cases: a case with two <failure> gives 2 failures of 1
# test, and one with <skipped> and <failure> is both. Adding two reports merges suites of the same name into one suite
# with the cases of both.
# Guess before the run: 1 failure; two suites.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'junitparser==5.0.3'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from junitparser import JUnitXml

def report(case):
    text = f'<testsuites><testsuite name="s"><testcase name="t">{case}</testcase></testsuite></testsuites>'
    return JUnitXml.fromstring(text)

for case in ("<failure/><failure/>", "<skipped/><failure/>"):
    xml = report(case)
    xml.update_statistics()
    print(case, "tests", xml.tests, "failures", xml.failures, "skipped", xml.skipped)
print("suites", [(suite.name, len(list(suite))) for suite in report("") + report("")])
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
<failure/><failure/> tests 1 failures 2 skipped 0
<skipped/><failure/> tests 1 failures 1 skipped 1
suites [('s', 2)]
SEEN
echo "seen as described"
