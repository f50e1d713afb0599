import * as vscode from "vscode";
import { State } from "vscode-languageclient/node";

import { DOCUMENTS } from "./client";

/** What stands in the status bar about the server. */
export interface Status extends vscode.Disposable {
  show(state: State): void;
}

/** Show behind the braces of the status bar how the server is. */
export function showingStatus(): Status {
  const item = vscode.languages.createLanguageStatusItem("trialrun", DOCUMENTS);
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
