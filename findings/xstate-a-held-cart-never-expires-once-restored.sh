#!/usr/bin/env bash
# A session as a state machine, xstate 5.33.3 (npm): a cart is held for a while and then expires, by a delayed transition. Its
# snapshot is stored as JSON and restored, as when a server starts again: the delay is gone, and the cart is held for ever.
# One that was not stored expires.
# Guess before the run: the delay begins anew, or goes on with what was left of it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . xstate@5.33.3
cat >program.mjs <<'PROGRAM'
import { createActor, createMachine } from "xstate";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const machine = createMachine({ initial: "held", states: { held: { after: { 200: "expired" } }, expired: {} } });
const first = createActor(machine).start();
const stored = JSON.stringify(first.getPersistedSnapshot());
const second = createActor(machine, { snapshot: JSON.parse(stored) }).start();
await wait(1500);
console.log("from the beginning:", first.getSnapshot().value);
console.log("restored:", second.getSnapshot().value, second.getSnapshot().status);
first.stop();
second.stop();
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
from the beginning: expired
restored: held active
SEEN
echo "seen as described"
