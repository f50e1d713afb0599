import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";

import { started } from "./client";
import { type CommandLine, commandLine } from "./command";
import { type Keeping, keeping, type Running } from "./keeping";
import { reasonOf } from "./reason";
import type { Status } from "./status";

/** The server of the workspace; how it is stands in the status bar and in the log. */
export function serving(log: vscode.OutputChannel, status: Status): Keeping {
  return keeping({
    command: () => commandLine(configured(), folders()),
    start: (command) => start(command, log, status),
    kept: () => status.show(State.Running),
  });
}

function configured(): string[] {
  return vscode.workspace.getConfiguration("trialrun").get<string[]>("command", []);
}

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

async function start(command: CommandLine, log: vscode.OutputChannel, status: Status): Promise<Running | undefined> {
  log.appendLine(`starting ${[...command, "lsp"].join(" ")}`);
  const cwd = folders()[0];
  try {
    return await started(command, cwd, log, status.show);
  } catch (error) {
    const reason = await reasonOf(command, cwd);
    log.appendLine(`${String(error)}: ${reason}`);
    status.show(State.Stopped);
    void offerSettings(`${command[0]} does not start: ${reason}`, log);
    return undefined;
  }
}

async function offerSettings(message: string, log: vscode.OutputChannel): Promise<void> {
  const open = "Open Settings";
  const advice = "install trialrun in the .venv of the workspace, or set trialrun.command";
  const chosen = await vscode.window.showErrorMessage(`${message}; ${advice}`, open, "Show Log");
  if (chosen === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "trialrun.command");
  } else if (chosen) {
    log.show();
  }
}
