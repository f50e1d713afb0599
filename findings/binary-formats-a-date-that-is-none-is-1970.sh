#!/usr/bin/env bash
# A Date of JavaScript that is no date, such as what a form with an empty field gives, becomes January 1, 1970 on its
# way through bson 7.3.4 and @msgpack/msgpack 3.1.3 (npm), which a reader takes for a time; msgpackr 2.1.4, cbor-x 1.6.9
# and cbor 10.0.12 keep it invalid, and JSON makes it null. Items without an end of sale are over since 1970 in two of
# six formats.
# Guess before the run: an error in all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . bson@7.3.4 @msgpack/msgpack@3.1.3 msgpackr@2.1.4 cbor-x@1.6.9 cbor@10.0.12
cat >program.mjs <<'PROGRAM'
import * as msgpack from "@msgpack/msgpack";
import { BSON } from "bson";
import * as cborX from "cbor-x";
import cbor from "cbor";
import { pack, unpack } from "msgpackr";

const end = new Date("");
const ways = {
  bson: () => BSON.deserialize(BSON.serialize({ end })).end,
  "@msgpack/msgpack": () => msgpack.decode(msgpack.encode(end)),
  msgpackr: () => unpack(pack(end)),
  "cbor-x": () => cborX.decode(cborX.encode(end)),
  cbor: () => cbor.decodeFirstSync(cbor.encode(end)),
  json: () => JSON.parse(JSON.stringify(end)),
};
for (const [name, there] of Object.entries(ways)) {
  const read = there();
  console.log(name, "->", read instanceof Date && !Number.isNaN(read.getTime()) ? read.toISOString() : String(read));
}
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
bson -> 1970-01-01T00:00:00.000Z
@msgpack/msgpack -> 1970-01-01T00:00:00.000Z
msgpackr -> Invalid Date
cbor-x -> Invalid Date
cbor -> Invalid Date
json -> null
SEEN
echo "seen as described"
