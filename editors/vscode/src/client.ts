import * as vscode from "vscode";
import {
  type DynamicFeature,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type State,
  type StaticFeature,
} from "vscode-languageclient/node";

import type { CommandLine } from "./command";
import type { Running } from "./keeping";
import { clicks } from "./terminal";

const LANGUAGES = ["yaml", "json", "jsonc", "terraform", "opentofu"];

/** The settings, whatever language they are opened in. */
const SETTINGS = { scheme: "file", pattern: "**/{trialrun.toml,pyproject.toml}" };

/** The documents that trialrun reads, whether they have a file or not. */
export const DOCUMENTS = [
  ...["file", "untitled"].flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language }))),
  SETTINGS,
];

/** A client that can run beside another for a moment, and that leaves it to us to say why it does not start. */
class Client extends LanguageClient {
  private hasStarted = false;

  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (!("registrationType" in feature) || feature.registrationType.method !== ExecuteCommandRequest.method) {
      super.registerFeature(feature); // commands are registered by the extension: two servers have the same names
    }
  }

  override async start(): Promise<void> {
    await super.start();
    this.hasStarted = true;
  }

  override error(message: string, data?: unknown, showNotification?: boolean | "force"): void {
    super.error(message, data, this.hasStarted && showNotification);
  }
}

/** Start a server; what becomes of it, until it is stopped, is told to `show`. */
export async function started(
  command: CommandLine,
  cwd: string | undefined,
  log: vscode.OutputChannel,
  show: (state: State) => void,
): Promise<Running> {
  const [program, ...first] = command;
  const server = { command: program, args: [...first, "lsp"], options: { cwd } };
  const clicked = clicks(command);
  const client = new Client("trialrun", "trialrun", server, options(clicked.command, log));
  const showing = client.onDidChangeState((change) => show(change.newState));
  const stop = async () => {
    showing.dispose();
    clicked.dispose();
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

function options(terminalCommand: string, log: vscode.OutputChannel): LanguageClientOptions {
  return { documentSelector: DOCUMENTS, initializationOptions: { terminalCommand }, outputChannel: log };
}
