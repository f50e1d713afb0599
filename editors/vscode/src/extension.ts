import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { serverCommand } from "./command";

const LANGUAGES = ["yaml", "json", "jsonc"];

let log: vscode.OutputChannel;
let client: LanguageClient | undefined;

/** Start the server, and let the palette and a change of the settings start it again. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel("trialrun");
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("trialrun.restart", restart),
    vscode.commands.registerCommand("trialrun.showLog", () => log.show()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("trialrun.command")) {
        await restart();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}

async function restart(): Promise<void> {
  await stop();
  await start();
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.dispose();
}

async function start(): Promise<void> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  const configured = vscode.workspace.getConfiguration("trialrun").get<string[]>("command", []);
  const [command, ...args] = serverCommand(configured, folders);
  log.appendLine(`starting ${[command, ...args].join(" ")}`);
  client = new LanguageClient("trialrun", "trialrun", { command, args, options: { cwd: folders[0] } }, options());
  try {
    await client.start();
  } catch (error) {
    log.appendLine(String(error));
    await offerSettings(command);
  }
}

function options(): LanguageClientOptions {
  const schemes = ["file", "untitled"];
  return {
    documentSelector: schemes.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language }))),
    outputChannel: log,
  };
}

async function offerSettings(command: string): Promise<void> {
  const open = "Open Settings";
  const chosen = await vscode.window.showErrorMessage(
    `${command} does not start; install trialrun[lsp] in the .venv of the workspace, or set trialrun.command`,
    open,
    "Show Log",
  );
  if (chosen === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "trialrun.command");
  } else if (chosen) {
    log.show();
  }
}
