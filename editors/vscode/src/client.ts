import * as vscode from "vscode";
import {
  type DynamicFeature,
  ExecuteCommandRequest,
  LanguageClient,
  type State,
  type StaticFeature,
} from "vscode-languageclient/node";

import type { CommandLine } from "./command";
import type { Running } from "./keeping";
import type { Selected } from "./selector";
import { clicksIn } from "./terminal";

/** What a server is for: these documents, of this folder where there is one. */
export interface Scope {
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly documents: Selected[];
}

/** A client whose commands are the extension's own: two servers would bring the same names. */
class Client extends LanguageClient {
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (!("registrationType" in feature) || feature.registrationType.method !== ExecuteCommandRequest.method) {
      super.registerFeature(feature);
    }
  }
}

/** Start the server of a scope; what becomes of it, until it is stopped, is told to `show`. */
export async function started(
  command: CommandLine,
  { folder, documents }: Scope,
  log: vscode.OutputChannel,
  show: (state: State) => void,
): Promise<Running> {
  const [program, ...first] = command;
  const server = { command: program, args: [...first, "lsp"], options: { cwd: folder?.uri.fsPath } };
  const clicks = clicksIn(command, folder);
  const client = new Client("trialrun", "trialrun", server, {
    documentSelector: documents,
    workspaceFolder: folder,
    initializationOptions: { terminalCommand: clicks.command },
    outputChannel: log,
  });
  const showing = client.onDidChangeState((change) => show(change.newState));
  const stop = async () => {
    showing.dispose();
    clicks.dispose();
    await (client.needsStop() ? client.dispose() : undefined);
  };
  try {
    await client.start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { command, stop };
}
