/** The schemas of TOML files by patterns of their paths, as Even Better TOML has them in its settings. */
export type Associations = Readonly<Record<string, string>>;

/** The paths of trialrun.toml, on Windows too. */
export const PATTERN = "^(.*[/\\\\])?trialrun\\.toml$";

/** The associations with the schema of the settings; nothing where they have it already. */
export function withSchema(before: Associations, schema: string): Associations | undefined {
  return before[PATTERN] === schema ? undefined : { ...before, [PATTERN]: schema };
}
