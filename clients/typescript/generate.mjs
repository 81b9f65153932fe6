// Writes src/generated from openapi.yaml; with `--check` compares only. Depends on the spec and package-lock.json alone.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import { parse } from "yaml";

const SPEC = new URL("../../openapi.yaml", import.meta.url);
const TARGET = new URL("src/generated/", import.meta.url);
const LABEL = "// Generated from openapi.yaml by clients/typescript/generate.mjs; do not edit.\n";

/** The paths whose POST takes `Idempotency-Key`: only these may be sent again when an answer was lost. */
function keyedPosts(spec) {
  const takesKey = ([, item]) =>
    item.post?.parameters?.some(({ in: place, name }) => place === "header" && name.toLowerCase() === "idempotency-key");
  return Object.entries(spec.paths).filter(takesKey).map(([path]) => path);
}

function operationsModule(spec) {
  return [
    "/** Paths whose POST takes an `Idempotency-Key`. */",
    `export const KEYED_POSTS: ReadonlySet<string> = new Set(${JSON.stringify(keyedPosts(spec), null, 2)});`,
    "",
  ].join("\n");
}

// not `immutable`: `Readable` of openapi-typescript-helpers makes objects of read-only arrays;
// not `defaultNonNullable`: a field with a default may be left out of a request, and of a problem
const schema = astToString(await openapiTS(SPEC, { alphabetize: true, defaultNonNullable: false }));
const files = {
  "schema.ts": LABEL + schema,
  "operations.ts": LABEL + operationsModule(parse(await readFile(SPEC, "utf8"))),
};
const stale = [];
for (const [name, text] of Object.entries(files)) {
  const present = await readFile(new URL(name, TARGET), "utf8").catch(() => null);
  if (present !== text) stale.push(name);
}
if (!process.argv.includes("--check")) {
  await mkdir(TARGET, { recursive: true });
  for (const name of stale) await writeFile(new URL(name, TARGET), files[name]);
  console.log(`@packhouse/client: ${stale.length} files changed`);
} else if (stale.length > 0) {
  console.error(`the TypeScript types are not what openapi.yaml says; run \`make sdk\`. Different: ${stale.join(", ")}`);
  process.exitCode = 1;
}
