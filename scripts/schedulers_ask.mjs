// Answers questions about schedules for schedulers.py: one JSON object a line, `null` where a scheduler refuses,
// "no answer" where it goes on for too long.
import { createInterface } from "node:readline";
import vm from "node:vm";
import later from "@breejs/later";
import { CronExpressionParser } from "cron-parser";
import { Cron } from "croner";
import { CronosExpression } from "cronosjs";

const TIMEOUT_MS = 10000;
const SCHEDULERS = {
  croner: ({ text, zone, count }, start, end) => {
    const schedule = new Cron(text, { timezone: zone });
    return take(count, start, end, (after) => schedule.nextRun(after));
  },
  "cron-parser": ({ text, zone, count }, start, end) => {
    const schedule = CronExpressionParser.parse(text, { currentDate: start, endDate: end, tz: zone });
    return take(count, start, end, () => (schedule.hasNext() ? schedule.next().toDate() : null));
  },
  later: ({ text, count }, start, end) => {
    const schedule = later.schedule(later.parse.cron(text));
    // It counts the start itself, and stops at 1,000 runs.
    return take(count, start, end, (after) => schedule.next(1, new Date(+after + 1000), end) || null);
  },
  cronosjs: ({ text, zone, count }, start, end) => {
    const schedule = CronosExpression.parse(text, { timezone: zone });
    return take(count, start, end, (after) => schedule.nextDate(after));
  },
};

function take(count, start, end, next) {
  const runs = [];
  for (let run = next(start); run && run < end && runs.length < count; run = next(run)) runs.push(run);
  return runs;
}

if (process.env.TZ !== "UTC") later.date.localTime();
for await (const line of createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  const [start, end] = [new Date(question.start * 1000), new Date(question.end * 1000)];
  const answers = {};
  for (const [name, ask] of Object.entries(SCHEDULERS)) {
    try {
      globalThis.answer = () => ask(question, start, end);
      const runs = vm.runInThisContext("answer()", { timeout: TIMEOUT_MS });
      const seconds = runs.filter((run) => run > start && run < end).map((run) => Math.floor(run / 1000));
      answers[name] = seconds.slice(0, question.count);
    } catch (error) {
      answers[name] = error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? "no answer" : null;
    }
  }
  process.stdout.write(JSON.stringify(answers) + "\n");
}
