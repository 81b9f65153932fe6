/** The published schema of policies, for tests. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { leavesOf, type SchemaNode } from "./schema";

const file = join(process.cwd(), "../../docs/policy.schema.json");

export const root = JSON.parse(readFileSync(file, "utf8")) as SchemaNode;
export const leaves = leavesOf(root);
export const leaf = (name: string) => leaves.find((each) => each.name === name)!;
