import { execFile } from "node:child_process";

import type { CommandLine } from "./command";

/** Milliseconds after which a program that says nothing is asked no longer. */
const PATIENCE = 10_000;

/** Why the server of a program ends, as the last line of what it tells. */
export function reasonOf([program, ...words]: CommandLine, cwd: string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const asked = execFile(program, [...words, "lsp"], { cwd, timeout: PATIENCE }, (error, _, told) => {
      resolve(told.trim().split("\n").at(-1) || (error?.message ?? "it ends at once"));
    });
    asked.stdin?.on("error", () => undefined).end();
  });
}
