import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";

import type { Scope } from "./client";

/** What stands in the status bar about the server of a scope. */
export interface Status extends vscode.Disposable {
  show(state: State): void;
}

/** Show behind the braces of the status bar how the server of a scope is. */
export function statusOf({ folder, documents }: Scope): Status {
  const item = vscode.languages.createLanguageStatusItem(`trialrun ${folder?.uri ?? ""}`, documents);
  item.name = "trialrun";
  return {
    show: (state) => {
      const isGone = state === State.Stopped;
      item.busy = state === State.Starting;
      item.text = isGone ? "trialrun does not run" : "trialrun";
      item.severity = isGone ? vscode.LanguageStatusSeverity.Error : vscode.LanguageStatusSeverity.Information;
      item.command = isGone
        ? { command: "trialrun.restart", title: "Restart" }
        : { command: "trialrun.showLog", title: "Show Log" };
    },
    dispose: () => item.dispose(),
  };
}
