import * as vscode from "vscode";

/** Run a command line of trialrun, by this program, in a terminal; no shell is between, so nothing needs quotes. */
export async function runInTerminal(program: readonly [string, ...string[]], line: readonly string[]): Promise<void> {
  const [command, ...first] = program;
  const [, ...words] = line;
  const execution = new vscode.ProcessExecution(command, [...first, ...words]);
  const task = new vscode.Task(
    { type: "process" },
    vscode.TaskScope.Workspace,
    line.join(" "),
    "trialrun",
    execution,
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}
