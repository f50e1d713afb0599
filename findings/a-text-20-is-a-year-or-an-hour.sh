#!/usr/bin/env bash
# The text "20" as a moment of ISO 8601: date-fns 4.4.0 (npm) reads the year 2000, the century 20; luxon 3.7.2 (npm) eight
# in the evening of today; dayjs 1.11.23 and temporal-polyfill 1.0.8 (npm) refuse it. Only the latter refuses "2026", too.
# Guess before the run: all refuse it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --prefix . date-fns@4.4.0 luxon@3.7.2 dayjs@1.11.23 temporal-polyfill@1.0.8
cat >program.mjs <<'PROGRAM'
import { parseISO } from "date-fns";
import dayjs from "dayjs";
import { DateTime } from "luxon";
import { Temporal } from "temporal-polyfill";

process.env.TZ = "UTC";
const today = new Date().toISOString().slice(0, 10);
const readers = {
  "date-fns": (text) => parseISO(text).toISOString(),
  luxon: (text) => DateTime.fromISO(text).toUTC().toISO().replace(today, "today"),
  dayjs: (text) => dayjs(text).toISOString(),
  "temporal-polyfill": (text) => Temporal.PlainDateTime.from(text).toString(),
};
for (const text of ["20", "2026", "2026-11"])
  for (const [name, read] of Object.entries(readers)) {
    let seen = "refused";
    try {
      seen = read(text);
    } catch {}
    console.log(text, name, seen);
  }
PROGRAM
node program.mjs >seen 2>errors || { cat errors; exit 1; }
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
20 date-fns 2000-01-01T00:00:00.000Z
20 luxon todayT20:00:00.000Z
20 dayjs refused
20 temporal-polyfill refused
2026 date-fns 2026-01-01T00:00:00.000Z
2026 luxon 2026-01-01T00:00:00.000Z
2026 dayjs 2026-01-01T00:00:00.000Z
2026 temporal-polyfill refused
2026-11 date-fns 2026-11-01T00:00:00.000Z
2026-11 luxon 2026-11-01T00:00:00.000Z
2026-11 dayjs 2026-11-01T00:00:00.000Z
2026-11 temporal-polyfill refused
SEEN
echo "seen as described"
