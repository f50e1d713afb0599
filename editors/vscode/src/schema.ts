import * as vscode from "vscode";

import { type Associations, PATTERN, withSchema } from "./associations";

const READER = "tamasfe.even-better-toml";
const SECTION = "evenBetterToml.schema";
const FILE = "trialrun.schema.json";
const ASKED = "trialrun.askedForSchema";
const YES = "Yes";

/**
 * Let Even Better TOML complete trialrun.toml by the schema that this extension brings, where the user agrees once.
 *
 * `contributes.tomlValidation` would need no question, but it takes addresses of the web alone (tamasfe/taplo#322), and
 * a schema from there would not be that of this version. The schema is copied to a folder whose name has no version.
 */
export async function offeringSchema(context: vscode.ExtensionContext): Promise<void> {
  if (vscode.extensions.getExtension(READER) === undefined) {
    return;
  }
  const schema = await copied(context);
  const isOurs = associations()[PATTERN] === schema;
  if (!isOurs && !context.globalState.get<boolean>(ASKED)) {
    await context.globalState.update(ASKED, true);
    const answer = await vscode.window.showInformationMessage(
      "Complete trialrun.toml with Even Better TOML? This adds a schema to its settings.",
      YES,
      "No",
    );
    if (answer === YES) {
      await associate(schema);
    }
  }
}

/** Add the schema to the settings of Even Better TOML, which the palette offers as well. */
export async function useSchema(context: vscode.ExtensionContext): Promise<void> {
  await associate(await copied(context));
}

async function associate(schema: string): Promise<void> {
  const wanted = withSchema(associations(), schema);
  if (wanted !== undefined) {
    await vscode.workspace.getConfiguration(SECTION).update("associations", wanted, vscode.ConfigurationTarget.Global);
  }
}

/** The associations of the user, without those of a workspace. */
function associations(): Associations {
  return vscode.workspace.getConfiguration(SECTION).inspect<Associations>("associations")?.globalValue ?? {};
}

/** The address of the schema of this version, copied to where the next version will copy its own. */
async function copied(context: vscode.ExtensionContext): Promise<string> {
  const copy = vscode.Uri.joinPath(context.globalStorageUri, FILE);
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, FILE), copy, { overwrite: true });
  return copy.toString();
}
