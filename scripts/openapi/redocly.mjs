// Lints a description with Redocly's rules: node redocly.mjs openapi.yaml. Prints each problem; the exit status is 1
// with any, warnings included. The library is used rather than its command, which reports usage and looks for updates.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { formatProblems, getTotals, lint, loadConfig } from "@redocly/openapi-core";

const here = dirname(fileURLToPath(import.meta.url));
const [file] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write("usage: node redocly.mjs openapi.yaml\n");
  process.exit(2);
}
const config = await loadConfig({ configPath: join(here, "redocly.yaml") });
const problems = await lint({ ref: file, config });
const totals = getTotals(problems);
formatProblems(problems, { format: "codeframe", totals, version: "" });
process.exit(totals.errors + totals.warnings > 0 ? 1 : 0);
