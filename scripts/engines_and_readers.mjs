// Answers the cases on standard input with the packages of npm beside this file: a list of texts for each program.
import { readFileSync } from "node:fs";
import { run } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { Environment } from "@marcbachmann/cel-js";
import iarna from "@iarna/toml";
import Ajv from "ajv/dist/2020.js";
import * as jsYaml from "js-yaml";
import * as smol from "smol-toml";
import * as yaml from "yaml";

const REFUSED = "refused";

function shown(value) {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Date) return `"${value.toISOString()}"`;
  if (Object.is(value, -0)) return "-0";
  return JSON.stringify(value, (key, inner) => (typeof inner === "bigint" ? Number(inner) : inner));
}

function tried(answer) {
  try {
    const value = answer();
    return value instanceof Error || value?.constructor?.name.endsWith("Error") ? REFUSED : shown(value);
  } catch {
    return REFUSED;
  }
}

function celJs([text, variables]) {
  const environment = new Environment();
  const values = {};
  for (const [name, value] of Object.entries(variables)) {
    const isDouble = name === "x";
    environment.registerVariable(name, isDouble ? "double" : "int");
    values[name] = isDouble ? value : BigInt(value);
  }
  return environment.evaluate(text, values);
}

function bufbuild([text, variables]) {
  const entries = Object.entries(variables).map(([name, value]) => [name, name === "x" ? value : BigInt(value)]);
  return run(text, Object.fromEntries(entries), { funcs: strings });
}

const PROGRAMS = {
  conditions: { "@marcbachmann/cel-js": celJs, "@bufbuild/cel": bufbuild },
  yaml: { "js-yaml": ([text]) => jsYaml.load(text), yaml: ([text]) => yaml.parse(text) },
  toml: { "smol-toml": ([text]) => smol.parse(text).a, "@iarna/toml": ([text]) => iarna.parse(text).a },
  json: { node: ([text]) => JSON.parse(text) },
  schemas: { ajv: ([schema, value]) => new Ajv({ logger: false }).compile(schema)(value) },
  languages: { node: ([tag]) => Intl.getCanonicalLocales(tag)[0] },
  labels: { node: ([text]) => text.normalize("NFC") },
};

const answers = {};
for (const [table, cases] of Object.entries(JSON.parse(readFileSync(0, "utf8")))) {
  for (const [name, answer] of Object.entries(PROGRAMS[table])) {
    answers[`${table}/${name}`] = cases.map((one) => tried(() => answer(one)));
  }
}
console.log(JSON.stringify(answers));
