#!/usr/bin/env bash
# Forms of durations of ISO 8601: PT1.5H is read by pendulum 3.3.0, isodate 0.7.2 (PyPI), luxon 3.7.2, dayjs 1.11.23 and
# temporal-polyfill 1.0.8 (npm), and refused by whenever 0.11.0 (PyPI), @js-joda/core 6.3.2, joi 18.3.2 and zod 4.6.7 (npm);
# P1W2D is refused by pendulum and zod, -P1D by pendulum, joi and zod, and dayjs reads it as plus one day; PT, which has no
# parts, is no time for pendulum, luxon and dayjs.
# Guess before the run: readers of the extended format refuse the fraction alone.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'pendulum==3.3.0' 'isodate==0.7.2' 'whenever==0.11.0'
npm install --silent --no-audit --no-fund --prefix . luxon@3.7.2 dayjs@1.11.23 temporal-polyfill@1.0.8 @js-joda/core@6.3.2 joi@18.3.2 zod@4.6.7
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import isodate
import pendulum
import whenever

readers = {
    "pendulum": lambda text: int(pendulum.parse(text).total_seconds()),
    "isodate": lambda text: int(isodate.parse_duration(text).total_seconds()),
    "whenever": lambda text: whenever.ItemizedDelta.parse_iso(text).format_iso(),
}
for text in ("PT36H", "PT1.5H", "P1W2D", "-P1D", "PT"):
    for name, read in readers.items():
        try:
            print(text, name, read(text))
        except Exception:
            print(text, name, "refused")
PROGRAM
cat >program.mjs <<'PROGRAM'
import { Duration as JodaDuration, Period } from "@js-joda/core";
import dayjs from "dayjs";
import duration from "dayjs/plugin/duration.js";
import joi from "joi";
import { Duration } from "luxon";
import { Temporal } from "temporal-polyfill";
import * as zod from "zod";

dayjs.extend(duration);
const joda = (text) => {
  try {
    return JodaDuration.parse(text).seconds();
  } catch {
    return Period.parse(text).days() * 86400;
  }
};
const readers = {
  luxon: (text) => Duration.fromISO(text).as("seconds"),
  dayjs: (text) => dayjs.duration(text).asSeconds(),
  "temporal-polyfill": (text) => Temporal.Duration.from(text).total({ unit: "seconds", relativeTo: "2026-12-01" }),
  "js-joda": joda,
  joi: (text) => joi.attempt(text, joi.string().isoDuration()) && "valid",
  zod: (text) => zod.iso.duration().parse(text) && "valid",
};
for (const text of ["PT36H", "PT1.5H", "P1W2D", "-P1D", "PT"])
  for (const [name, read] of Object.entries(readers)) {
    let seen = "refused";
    try {
      seen = read(text);
    } catch {}
    console.log(text, name, seen);
  }
PROGRAM
node program.mjs >>seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
PT36H pendulum 129600
PT36H isodate 129600
PT36H whenever PT36H
PT1.5H pendulum 5400
PT1.5H isodate 5400
PT1.5H whenever refused
P1W2D pendulum refused
P1W2D isodate 777600
P1W2D whenever P1W2D
-P1D pendulum refused
-P1D isodate -86400
-P1D whenever -P1D
PT pendulum 0
PT isodate 0
PT whenever refused
PT36H luxon 129600
PT36H dayjs 129600
PT36H temporal-polyfill 129600
PT36H js-joda 129600
PT36H joi valid
PT36H zod valid
PT1.5H luxon 5400
PT1.5H dayjs 5400
PT1.5H temporal-polyfill 5400
PT1.5H js-joda refused
PT1.5H joi refused
PT1.5H zod refused
P1W2D luxon 777600
P1W2D dayjs 777600
P1W2D temporal-polyfill 777600
P1W2D js-joda 777600
P1W2D joi valid
P1W2D zod refused
-P1D luxon -86400
-P1D dayjs 86400
-P1D temporal-polyfill -86400
-P1D js-joda -86400
-P1D joi refused
-P1D zod refused
PT luxon 0
PT dayjs 0
PT temporal-polyfill refused
PT js-joda refused
PT joi refused
PT zod refused
SEEN
echo "seen as described"
