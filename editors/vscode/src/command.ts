import { existsSync } from "node:fs";
import { join } from "node:path";

/** A program and its first words. */
export type CommandLine = readonly [string, ...string[]];

/** Where environments of Python keep their programs: on Windows, and elsewhere. */
const IN_ENVIRONMENTS = [
  [".venv", "Scripts", "trialrun.exe"],
  [".venv", "bin", "trialrun"],
];

/** The program of the settings with its first words, else that of a `.venv` in these folders, else of the PATH. */
export function commandLine(configured: readonly string[], folders: readonly string[]): CommandLine {
  const [program, ...words] = configured;
  if (program) {
    return [program, ...words];
  }
  const installed = folders.flatMap((folder) => IN_ENVIRONMENTS.map((parts) => join(folder, ...parts)));
  return [installed.find(existsSync) ?? "trialrun"];
}

/** A command line of trialrun as the server names it, run by this program. */
export function runBy([program, ...first]: CommandLine, [, ...words]: readonly string[]): CommandLine {
  return [program, ...first, ...words];
}

/** Whether two command lines are the same. */
export function isSame(one: CommandLine, other: CommandLine): boolean {
  return one.length === other.length && one.every((word, index) => word === other[index]);
}
