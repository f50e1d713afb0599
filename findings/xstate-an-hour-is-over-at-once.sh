#!/usr/bin/env bash
# Delays of a state machine, xstate 5.33.3 (npm): a delay that is written as 1h, 10m, PT1H or 1 hour, which are names of
# delays that nothing defines, is no error: the transition is taken at once. So is one of -5 and of an empty name; 60000 in
# quotes is a minute.
# Guess before the run: an error when the machine is made, as for a target that is no state.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . xstate@5.33.3
cat >program.mjs <<'PROGRAM'
import { createActor, createMachine } from "xstate";

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
for (const delay of ["60000", "1h", "10m", "PT1H", "1 hour", "-5", ""]) {
  const actor = createActor(createMachine({ initial: "held", states: { held: { after: { [delay]: "expired" } }, expired: {} } })).start();
  await wait(200);
  console.log(JSON.stringify(delay), "after a fifth of a second:", actor.getSnapshot().value);
  actor.stop();
}
try {
  createActor(createMachine({ initial: "held", states: { held: { after: { 1000: "expird" } }, expired: {} } }));
  console.log("a target that is no state: taken");
} catch { console.log("a target that is no state: an error"); }
PROGRAM
TZ=UTC node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
"60000" after a fifth of a second: held
"1h" after a fifth of a second: expired
"10m" after a fifth of a second: expired
"PT1H" after a fifth of a second: expired
"1 hour" after a fifth of a second: expired
"-5" after a fifth of a second: expired
"" after a fifth of a second: expired
a target that is no state: an error
SEEN
echo "seen as described"
