import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/node";

import { commandLine } from "./command";
import { runInTerminal } from "./terminal";

const LANGUAGES = ["yaml", "json", "jsonc"];
const TERMINAL_COMMAND = "trialrun.runInTerminal";

let log: vscode.OutputChannel;
let client: LanguageClient | undefined;

/** Start the server, and let the palette and a change of the settings start it again. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  log = vscode.window.createOutputChannel("trialrun");
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("trialrun.restart", restart),
    vscode.commands.registerCommand("trialrun.showLog", () => log.show()),
    vscode.commands.registerCommand(TERMINAL_COMMAND, (line: string[]) => runInTerminal(program(), line)),
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
  const [command, ...words] = program();
  const args = [...words, "lsp"];
  log.appendLine(`starting ${[command, ...args].join(" ")}`);
  const cwd = folders()[0];
  client = new LanguageClient("trialrun", "trialrun", { command, args, options: { cwd } }, options());
  try {
    await client.start();
  } catch (error) {
    log.appendLine(String(error));
    await offerSettings(command);
  }
}

function folders(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
}

function program(): [string, ...string[]] {
  return commandLine(vscode.workspace.getConfiguration("trialrun").get<string[]>("command", []), folders());
}

function options(): LanguageClientOptions {
  const schemes = ["file", "untitled"];
  return {
    documentSelector: schemes.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language }))),
    initializationOptions: { terminalCommand: TERMINAL_COMMAND },
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
