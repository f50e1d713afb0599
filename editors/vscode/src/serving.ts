import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";

import { type Scope, started } from "./client";
import { type CommandLine, commandLine } from "./command";
import { type Keeping, keeping, type Running } from "./keeping";
import { reasonOf } from "./reason";
import { type Status, statusOf } from "./status";

/** The server of a scope, which is started; how it is stands in the status bar and in the log. */
export function serving(scope: Scope, log: vscode.OutputChannel): Keeping {
  const status = statusOf(scope);
  const kept = keeping({ command: () => commandOf(scope), start: (command) => start(command, scope, log, status) });
  void kept.restart();
  return {
    ...kept,
    stop: async () => {
      await kept.stop();
      status.dispose();
    },
  };
}

function commandOf({ folder }: Scope): CommandLine {
  const configured = vscode.workspace.getConfiguration("trialrun", folder).get<string[]>("command", []);
  return commandLine(configured, folder ? [folder.uri.fsPath] : []);
}

async function start(
  command: CommandLine,
  scope: Scope,
  log: vscode.OutputChannel,
  status: Status,
): Promise<Running | undefined> {
  log.appendLine(`starting ${[...command, "lsp"].join(" ")}${scope.folder ? ` for ${scope.folder.name}` : ""}`);
  try {
    return await started(command, scope, log, status.show);
  } catch (error) {
    const reason = await reasonOf(command, scope.folder?.uri.fsPath);
    log.appendLine(`${String(error)}: ${reason}`);
    status.show(State.Stopped);
    void offerSettings(`${command[0]} does not start: ${reason}`, log);
    return undefined;
  }
}

async function offerSettings(message: string, log: vscode.OutputChannel): Promise<void> {
  const open = "Open Settings";
  const advice = "install trialrun[lsp] in the .venv of the workspace, or set trialrun.command";
  const chosen = await vscode.window.showErrorMessage(`${message}; ${advice}`, open, "Show Log");
  if (chosen === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "trialrun.command");
  } else if (chosen) {
    log.show();
  }
}
