// Compiles each schema on standard input with the defaults of Ajv and says which of its documents are valid.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");

const installed = createRequire(`${__dirname}/npm/package.json`);
const Ajv = installed("ajv/dist/2020");
const addFormats = installed("ajv-formats");

function tried({ schema, documents }) {
  const ajv = addFormats(new Ajv({ logger: false }));
  try {
    const validate = ajv.compile(schema);
    return { refused: null, valid: documents.map((document) => validate(document)) };
  } catch (error) {
    return { refused: error.message, valid: [] };
  }
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(tried)));
