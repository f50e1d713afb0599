import assert from "node:assert/strict";
import { test } from "node:test";

import { PATTERN, withSchema } from "../src/associations";

const SCHEMA = "file:///storage/trialrun.schema.json";

test("the schema is added to those of the user", () => {
  const before = { "other\\.toml$": "file:///other.json" };
  assert.deepEqual(withSchema(before, SCHEMA), { ...before, [PATTERN]: SCHEMA });
});

test("nothing is written where the schema is there", () => {
  assert.equal(withSchema({ [PATTERN]: SCHEMA }, SCHEMA), undefined);
});

test("the pattern is for the settings alone", () => {
  const pattern = new RegExp(PATTERN);
  const paths = ["trialrun.toml", "/repo/trialrun.toml", "C:\\work\\trialrun.toml", "/repo/my-trialrun.toml", "/a/b.toml"];
  assert.deepEqual(paths.map((path) => pattern.test(path)), [true, true, true, false, false]);
});
