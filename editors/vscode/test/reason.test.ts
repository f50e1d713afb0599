import assert from "node:assert/strict";
import { test } from "node:test";

import { reasonOf } from "../src/reason";

function node(script: string): [string, ...string[]] {
  return [process.execPath, "--eval", script, "--"];
}

test("the reason is the last line of what the program tells", async () => {
  const told = node(`console.error("one"); console.error("lsp needs more"); process.exitCode = 2`);
  assert.equal(await reasonOf(told, undefined), "lsp needs more");
});

test("a program that is not there has a reason, too", async () => {
  assert.match(await reasonOf(["no-such-program"], undefined), /ENOENT/);
});

test("the program is asked for its server, which gets nothing to read", async () => {
  const told = node(`process.stdin.on("end", () => console.error(process.argv.at(-1))).resume()`);
  assert.equal(await reasonOf(told, undefined), "lsp");
});
