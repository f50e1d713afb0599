// Says which texts of a list on standard input hcl/v2 refuses, and why; null for a valid one.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");

const { parse } = createRequire(`${__dirname}/npm/package.json`)("@cdktf/hcl2json");

async function refused(texts) {
  const reasons = [];
  for (const text of texts) {
    reasons.push(await parse("x.tf", text).then(() => null, (error) => String(error)));
  }
  return reasons;
}

refused(JSON.parse(readFileSync(0, "utf8"))).then((reasons) => {
  process.stdout.write(JSON.stringify(reasons), () => process.exit(0));
});
