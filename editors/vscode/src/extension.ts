import * as vscode from "vscode";

import type { Scope } from "./client";
import type { Keeping } from "./keeping";
import { showingPages } from "./pages";
import { documentsIn, everyDocument, LANGUAGES, outermost } from "./selector";
import { serving } from "./serving";

const NO_FOLDER = "";

let log: vscode.OutputChannel;

/** The servers by their folders. */
const servers = new Map<string, Keeping>();

/** Serve the documents that are open and will be, and let the palette and the settings start servers again. */
export function activate(context: vscode.ExtensionContext): void {
  log = vscode.window.createOutputChannel("trialrun");
  context.subscriptions.push(
    log,
    showingPages(),
    vscode.commands.registerCommand("trialrun.restart", () => everyServer((server) => server.restart())),
    vscode.commands.registerCommand("trialrun.showLog", () => log.show()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("trialrun.command")) {
        await everyServer((server) => server.follow());
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(async () => {
      await deactivate();
      serveOpen();
    }),
    vscode.workspace.onDidOpenTextDocument(serve),
  );
  serveOpen();
}

export async function deactivate(): Promise<void> {
  const stopped = everyServer((server) => server.stop());
  servers.clear();
  await stopped;
}

async function everyServer(deed: (server: Keeping) => Promise<void>): Promise<void> {
  await Promise.all([...servers.values()].map(deed));
}

function serveOpen(): void {
  vscode.workspace.textDocuments.forEach(serve);
}

/** Start the server of a document, unless there is one. */
function serve(document: vscode.TextDocument): void {
  if (!LANGUAGES.includes(document.languageId)) {
    return;
  }
  const scope = scopeOf(document);
  const key = scope?.folder?.uri.fsPath ?? NO_FOLDER;
  if (scope && !servers.has(key)) {
    servers.set(key, serving(scope, log));
  }
}

/** What the server of a document is for. A single folder has every document; several have those that lie in them. */
function scopeOf(document: vscode.TextDocument): Scope | undefined {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const served = outermost(folders.map((folder) => folder.uri.fsPath));
  if (served.length <= 1) {
    return { folder: folders.find((folder) => folder.uri.fsPath === served[0]), documents: everyDocument() };
  }
  const path = served.find((folder) => outermost([folder, document.uri.fsPath]).length === 1);
  const folder = folders.find((one) => one.uri.fsPath === path);
  return path && folder ? { folder, documents: documentsIn(path) } : undefined;
}
