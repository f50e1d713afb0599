import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where environments of Python keep their programs: on Windows, and elsewhere. */
const IN_ENVIRONMENTS = [
  [".venv", "Scripts", "trialrun.exe"],
  [".venv", "bin", "trialrun"],
];

/** The program of the settings with its first words, else that of a `.venv` in these folders, else of the PATH. */
export function commandLine(configured: readonly string[], folders: readonly string[]): [string, ...string[]] {
  const [program, ...words] = configured;
  if (program !== undefined) {
    return [program, ...words];
  }
  const installed = folders.flatMap((folder) => IN_ENVIRONMENTS.map((parts) => join(folder, ...parts)));
  return [installed.find(existsSync) ?? "trialrun"];
}
