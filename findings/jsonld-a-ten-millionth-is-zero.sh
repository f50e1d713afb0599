#!/usr/bin/env bash
# A rate of 0.0000001 in JSON-LD: jsonld 9.0.0 (npm) makes the integer "0" of it in RDF, and 0 when it reads that back; pyld
# 3.3.0 (PyPI) makes the double 1.0E-7. 0.000001 is a double for both.
# Guess before the run: the double 1.0E-7.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pyld==3.3.0'
npm install --silent --no-audit --no-fund --prefix . jsonld@9.0.0
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
from pyld import jsonld

for rate in (0.000001, 0.0000001):
    document = {"@context": {"@vocab": "https://schema.org/"}, "interestRate": rate}
    print("pyld", rate, jsonld.to_rdf(document, {"format": "application/n-quads"}).split()[2])
PROGRAM
cat >program.mjs <<'PROGRAM'
import jsonld from "jsonld";

for (const rate of [0.000001, 0.0000001]) {
  const document = { "@context": { "@vocab": "https://schema.org/" }, interestRate: rate };
  const quads = await jsonld.toRDF(document, { format: "application/n-quads" });
  const back = await jsonld.fromRDF(quads, { format: "application/n-quads", useNativeTypes: true });
  console.log("jsonld", rate, quads.split(" ")[2], JSON.stringify(back[0]["https://schema.org/interestRate"]));
}
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
pyld 1e-06 "1.0E-6"^^<http://www.w3.org/2001/XMLSchema#double>
pyld 1e-07 "1.0E-7"^^<http://www.w3.org/2001/XMLSchema#double>
jsonld 0.000001 "1.0E-6"^^<http://www.w3.org/2001/XMLSchema#double> [{"@value":0.000001}]
jsonld 1e-7 "0"^^<http://www.w3.org/2001/XMLSchema#integer> [{"@value":0}]
SEEN
echo "seen as described"
