import * as vscode from "vscode";

import { type CommandLine, runBy } from "./command";

let registered = 0;

/** A command of the editor that runs a command line of trialrun, by this program, for a document, in a terminal. */
export function clicks(program: CommandLine): vscode.Disposable & { readonly command: string } {
  registered += 1;
  const command = `trialrun.runInTerminal.${registered}`;
  const clicked = vscode.commands.registerCommand(command, (line: string[], uri: string) =>
    runInTerminal(program, line, vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(uri))),
  );
  return { command, dispose: () => clicked.dispose() };
}

/** Run a command line in a terminal; no shell is between, so nothing needs quotes. */
async function runInTerminal(
  program: CommandLine,
  line: readonly string[],
  folder: vscode.WorkspaceFolder | undefined,
): Promise<void> {
  const [command, ...words] = runBy(program, line);
  const task = new vscode.Task(
    { type: "process" },
    folder ?? vscode.TaskScope.Workspace,
    line.slice(0, 2).join(" "),
    "trialrun",
    new vscode.ProcessExecution(command, words, { cwd: folder?.uri.fsPath }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}
