import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { commandLine, isSame, runBy } from "../src/command";

function folderWith(...programs: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "trialrun-"));
  for (const program of programs) {
    mkdirSync(dirname(join(folder, program)), { recursive: true });
    writeFileSync(join(folder, program), "");
  }
  return folder;
}

test("the program of the settings comes first, with its words", () => {
  const folder = folderWith(".venv/bin/trialrun");
  assert.deepEqual(commandLine(["uv", "run", "trialrun"], [folder]), ["uv", "run", "trialrun"]);
});

test("an environment of the folder comes before the path", () => {
  const folder = folderWith(".venv/bin/trialrun");
  assert.deepEqual(commandLine([], [folder]), [join(folder, ".venv/bin/trialrun")]);
});

test("environments of Windows keep their programs elsewhere", () => {
  const folder = folderWith(".venv/Scripts/trialrun.exe");
  assert.deepEqual(commandLine([], [folder]), [join(folder, ".venv/Scripts/trialrun.exe")]);
});

test("the first folder that has one gives the program", () => {
  const folders = [folderWith(), folderWith(".venv/bin/trialrun"), folderWith(".venv/bin/trialrun")];
  assert.deepEqual(commandLine([], folders), [join(folders[1]!, ".venv/bin/trialrun")]);
});

test("else it is that of the path", () => {
  assert.deepEqual(commandLine([], [folderWith()]), ["trialrun"]);
  assert.deepEqual(commandLine([""], []), ["trialrun"]);
});

test("what the server names is run by the same program, word by word", () => {
  const named = ["trialrun", "test", "a b.yaml", "-k", `it's "there" && $HOME`];
  assert.deepEqual(runBy(["uv", "run", "trialrun"], named), ["uv", "run", "trialrun", ...named.slice(1)]);
});

test("command lines are the same word by word", () => {
  assert.ok(isSame(["a", "b"], ["a", "b"]));
  assert.ok(!isSame(["a", "b"], ["a"]));
  assert.ok(!isSame(["a", "b c"], ["a", "b", "c"]));
});
