import * as vscode from "vscode";

import type { Keeping } from "./keeping";
import { showingPages } from "./pages";
import { offeringSchema, useSchema } from "./schema";
import { serving } from "./serving";
import { showingStatus } from "./status";

let server: Keeping | undefined;

/** Start the server, and let the palette, the settings and the folders of the workspace start it again. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("trialrun");
  const status = showingStatus();
  const kept = serving(log, status);
  server = kept;
  context.subscriptions.push(
    log,
    status,
    showingPages(),
    vscode.commands.registerCommand("trialrun.restart", () => kept.restart()),
    vscode.commands.registerCommand("trialrun.showLog", () => log.show()),
    vscode.commands.registerCommand("trialrun.useSchema", () => useSchema(context)),
    vscode.workspace.onDidChangeWorkspaceFolders(() => kept.follow()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("trialrun.command")) {
        await kept.follow();
      }
    }),
  );
  await kept.restart();
  void offeringSchema(context);
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
