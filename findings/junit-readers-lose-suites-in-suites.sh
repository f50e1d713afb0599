#!/usr/bin/env bash
# A JUnit file whose only test case fails in a <testsuite> inside a <testsuite>: junit2html 31.1.4 and xunitparser 1.3.4 (PyPI)
# find no case and no failure, junitxml-to-javascript 1.1.4 (npm) no suite, and test-results-parser 0.4.6 (npm) answers SKIP,
# 0 of 0 failed, although the outer suite says failures="1". junitparser 5.0.3 finds the failure.
# Guess before the run: one failure in all five.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'junitparser==5.0.3' 'junit2html==31.1.4' 'xunitparser==1.3.4'
npm install --silent --no-audit --no-fund --prefix . junitxml-to-javascript@1.1.4 test-results-parser@0.4.6
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json, pathlib

import xunitparser
from junit2htmlreport.parser import Junit
from junitparser import JUnitXml

pathlib.Path("report.xml").write_text('''<testsuites>
  <testsuite name="outer" tests="1" failures="1" errors="0" skipped="0" time="1">
    <testsuite name="inner" tests="1" failures="1" errors="0" skipped="0" time="1">
      <testcase classname="c" name="a" time="1"><failure message="m"/></testcase>
    </testsuite>
  </testsuite>
</testsuites>''')
print("junitparser", [(case.name, len(case.result)) for suite in JUnitXml.fromfile("report.xml") for case in suite])
print("junit2html", [(len(suite.all()), len(suite.failed())) for suite in Junit("report.xml").suites])
_, result = xunitparser.parse(open("report.xml"))
print("xunitparser", len(result.failures), len(result.errors))
PROGRAM
cat >program.mjs <<'PROGRAM'
import Parser from "junitxml-to-javascript";
import { parse } from "test-results-parser";

console.log("junitxml-to-javascript", (await new Parser().parseXMLFile("report.xml")).testsuites.length, "suites");
const { status, total, failed } = parse({ type: "junit", files: ["report.xml"] });
console.log("test-results-parser", status, failed, "of", total, "failed");
PROGRAM
node program.mjs >>seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
junitparser [('a', 1)]
junit2html [(0, 0)]
xunitparser 0 0
junitxml-to-javascript 0 suites
test-results-parser SKIP 0 of 0 failed
SEEN
echo "seen as described"
