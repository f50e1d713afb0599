import assert from "node:assert/strict";
import { test } from "node:test";

import { documentsIn, everyDocument, outermost } from "../src/selector";

test("a single server has every document, saved or not", () => {
  assert.deepEqual(new Set(everyDocument().map(({ scheme }) => scheme)), new Set(["file", "untitled"]));
  assert.ok(everyDocument().every(({ pattern }) => pattern === undefined));
});

test("one of several has those of its folder", () => {
  assert.deepEqual(
    documentsIn("/work/burgers").map(({ language, pattern }) => `${language} ${pattern}`),
    ["yaml /work/burgers/**", "json /work/burgers/**", "jsonc /work/burgers/**"],
  );
});

test("characters of patterns in the name of a folder are themselves", () => {
  assert.equal(documentsIn("/a[1]/{b}*?")[0]?.pattern, "/a[[]1]/[{]b[}][*][?]/**");
});

test("folders of Windows become patterns", () => {
  assert.equal(documentsIn("c:\\work\\burgers\\")[0]?.pattern, "c:/work/burgers/**");
});

test("a folder inside of another has no server of its own", () => {
  assert.deepEqual(outermost(["/work/a", "/work/a/b", "/work/ab"]), ["/work/a", "/work/ab"]);
  assert.deepEqual(outermost(["c:\\a", "c:\\a\\b"]), ["c:\\a"]);
});
