/** The groups of the form, in the order in which a person thinks about a policy. */
import type { Leaf } from "../logic/schema";

export interface Group {
  readonly title: string;
  readonly isIn: (leaf: Leaf) => boolean;
}

const below = (...names: readonly string[]) => (leaf: Leaf) => names.some((name) => leaf.name === name || leaf.name.startsWith(`${name}.`));

const GENERAL = below("enabled", "preset", "priority", "verification");
const INNER = below("rewrite.deletes", "rewrite.full", "rewrite.key_tables");

const KNOWN: readonly Group[] = [
  { title: "General", isIn: GENERAL },
  { title: "Triggers: when a partition is due", isIn: below("triggers") },
  { title: "Rewrite: which files, and how they are written", isIn: (leaf) => below("rewrite")(leaf) && !INNER(leaf) },
  { title: "Rewrite: deletes, full rewrites, key tables", isIn: INNER },
  { title: "Limits", isIn: below("limits") },
  { title: "Schedule, seal, back-off", isIn: below("schedule", "seal", "backoff") },
  { title: "Maintenance", isIn: below("maintenance") },
];
/** Settings with an own part of the page. */
const ELSEWHERE = below("quiet_hours", "blackouts");

/** Return the groups with their settings; settings of a newer server that no group knows come last. */
export function grouped(leaves: readonly Leaf[]): { title: string; leaves: Leaf[] }[] {
  const rest = leaves.filter((leaf) => !ELSEWHERE(leaf) && !KNOWN.some(({ isIn }) => isIn(leaf)));
  const groups = KNOWN.map(({ title, isIn }) => ({ title, leaves: leaves.filter(isIn) }));
  return [...groups, { title: "Other", leaves: rest }].filter((group) => group.leaves.length > 0);
}
