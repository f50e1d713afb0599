import assert from "node:assert/strict";
import { test } from "node:test";

import type { CommandLine } from "../src/command";
import { keeping, type Keeping } from "../src/keeping";

interface Played {
  readonly told: string[];
  readonly server: Keeping;
  ask(...command: CommandLine): void;
}

/** A server of which every start and end is told; a program named "none" does not start. */
function played(): Played {
  const told: string[] = [];
  let asked: CommandLine = ["one"];
  const server = keeping({
    command: () => asked,
    start: async (command) => {
      told.push(`start ${command[0]}`);
      await new Promise(setImmediate);
      if (command[0] === "none") {
        return undefined;
      }
      return { command, stop: async () => void told.push(`stop ${command[0]}`) };
    },
    kept: () => void told.push("kept"),
  });
  return { told, server, ask: (...command) => void (asked = command) };
}

test("a new one has started before the old one stops", async () => {
  const { told, server, ask } = played();
  await server.restart();
  ask("other");
  await server.follow();
  assert.deepEqual(told, ["start one", "start other", "stop one"]);
});

test("one that does not start leaves the old one", async () => {
  const { told, server, ask } = played();
  await server.restart();
  ask("none");
  await server.follow();
  await server.stop();
  assert.deepEqual(told, ["start one", "start none", "kept", "stop one"]);
});

test("one that runs already is left alone", async () => {
  const { told, server } = played();
  await server.restart();
  await server.follow();
  assert.deepEqual(told, ["start one"]);
});

test("many changes at once are one, and what is asked for at last counts", async () => {
  const { told, server, ask } = played();
  await server.restart();
  ask("passing");
  const followed = [server.follow(), server.follow()];
  ask("last");
  await Promise.all(followed);
  assert.deepEqual(told, ["start one", "start last", "stop one"]);
});

test("a restart stops first, also where nothing changed", async () => {
  const { told, server } = played();
  await server.restart();
  await server.restart();
  assert.deepEqual(told, ["start one", "stop one", "start one"]);
});

test("a change after a failed start tries again", async () => {
  const { told, server, ask } = played();
  ask("none");
  await server.restart();
  ask("one");
  await server.follow();
  assert.deepEqual(told, ["start none", "start one"]);
});
