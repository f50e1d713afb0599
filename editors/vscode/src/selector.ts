/** The languages of the files that trialrun reads. */
export const LANGUAGES = ["yaml", "json", "jsonc"];

/** Documents of one language: of a scheme, and of a folder. */
export interface Selected {
  readonly scheme: string;
  readonly language: string;
  readonly pattern?: string;
}

/** All documents, whether they have a file or not. */
export function everyDocument(): Selected[] {
  return ["file", "untitled"].flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language })));
}

/** The documents of a folder. */
export function documentsIn(folder: string): Selected[] {
  return LANGUAGES.map((language) => ({ scheme: "file", language, pattern: `${globOf(folder)}/**` }));
}

/** Those of several folders that lie in none of the others. */
export function outermost(folders: readonly string[]): string[] {
  return folders.filter((folder) => !folders.some((other) => other !== folder && isIn(folder, other)));
}

function isIn(folder: string, other: string): boolean {
  return folder.startsWith(other.replace(/[\\/]?$/, folder.includes("\\") ? "\\" : "/"));
}

/** A pattern that only this path matches. */
function globOf(path: string): string {
  return path.replaceAll("\\", "/").replaceAll(/[[{}*?]/g, "[$&]").replace(/\/$/, "");
}
