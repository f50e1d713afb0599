import * as vscode from "vscode";

const SCHEME = "trialrun-page";

/** Show the pages of rules as Markdown is shown; gives the command that the server's code actions name. */
export function showingPages(): vscode.Disposable {
  const pages = new Map<string, string>();
  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => pages.get(uri.path),
    }),
    vscode.commands.registerCommand("trialrun.explain", async (_: string, title: string, page: string) => {
      const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replaceAll("/", " ")}.md` });
      pages.set(uri.path, page);
      await vscode.commands.executeCommand("markdown.showPreview", uri);
    }),
  );
}
