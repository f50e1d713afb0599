#!/usr/bin/env bash
# Queries of MongoDB on documents in memory, for tests and filters: mongomock 4.3.0 (PyPI), mingo 7.2.7 and sift 17.1.4 (npm).
# A query for 1 finds true in mongomock; all of [3] finds the number 3 in two and lists alone in mingo; a list is found as a
# whole member of $in by sift alone; $gte null finds what has no such field in sift alone; a remainder is taken of the text
# "3" and of true by the two of npm.
# Guess before the run: one answer, that of the database's manual, where all of [3] is the same as 3 and types are kept apart.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'mongomock==4.3.0'
npm install --silent --no-audit --no-fund --prefix . mingo@7.2.7 sift@17.1.4
cat >cases.json <<'CASES'
[[{"n": 1}, {"n": {"$all": [3]}}, {"n": {"$in": [[3, 9]]}}, {"n": {"$gte": null}}, {"n": {"$mod": [2, 1]}}, {"n": {"$lt": 5}}, {"n": {"$not": {"$gt": 4}}}],
 [{"_id": "one", "n": 1}, {"_id": "true", "n": true}, {"_id": "three", "n": 3}, {"_id": "text 3", "n": "3"}, {"_id": "3 and 9", "n": [3, 9]}, {"_id": "empty", "n": []}, {"_id": "null", "n": null}, {"_id": "none"}]]
CASES
venv/bin/python - >>seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import json

import mongomock

queries, documents = json.load(open("cases.json"))
collection = mongomock.MongoClient().menu.dishes
collection.insert_many(documents)
for query in queries:
    try:
        found = ", ".join(document["_id"] for document in collection.find(query))
    except mongomock.OperationFailure as error:
        found = f"({error})"
    print("mongomock", json.dumps(query), "->", found)
PROGRAM
cat >program.mjs <<'PROGRAM'
import { readFileSync } from "fs";
import { Query } from "mingo";
import sift from "sift";

const [queries, documents] = JSON.parse(readFileSync("cases.json"));
const READERS = { mingo: (query) => { const built = new Query(query); return (document) => built.test(document); }, sift: (query) => (sift.default ?? sift)(query) };
for (const [name, reader] of Object.entries(READERS))
  for (const query of queries) console.log(name, JSON.stringify(query), "->", documents.filter(reader(query)).map((document) => document._id).join(", "));
PROGRAM
TZ=UTC node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
mongomock {"n": 1} -> one, true
mongomock {"n": {"$all": [3]}} -> three, 3 and 9
mongomock {"n": {"$in": [[3, 9]]}} -> 
mongomock {"n": {"$gte": null}} -> null
mongomock {"n": {"$mod": [2, 1]}} -> (unknown operator: $mod)
mongomock {"n": {"$lt": 5}} -> one, three, 3 and 9
mongomock {"n": {"$not": {"$gt": 4}}} -> one, true, three, text 3, empty, null, none
mingo {"n":1} -> one
mingo {"n":{"$all":[3]}} -> 3 and 9
mingo {"n":{"$in":[[3,9]]}} -> 
mingo {"n":{"$gte":null}} -> null
mingo {"n":{"$mod":[2,1]}} -> one, true, three, text 3, 3 and 9
mingo {"n":{"$lt":5}} -> one, three, 3 and 9
mingo {"n":{"$not":{"$gt":4}}} -> one, true, three, text 3, empty, null, none
sift {"n":1} -> one
sift {"n":{"$all":[3]}} -> three, 3 and 9
sift {"n":{"$in":[[3,9]]}} -> 3 and 9
sift {"n":{"$gte":null}} -> empty, null, none
sift {"n":{"$mod":[2,1]}} -> one, true, three, text 3, 3 and 9
sift {"n":{"$lt":5}} -> one, three, 3 and 9
sift {"n":{"$not":{"$gt":4}}} -> one, true, three, text 3, empty, null, none
SEEN
echo "seen as described"
