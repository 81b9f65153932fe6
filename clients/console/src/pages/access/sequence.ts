/** Whether the links of the audit chain that are shown follow one another without a gap. */
import type { Schemas } from "../../api/client";

export type SequenceReport =
  | { readonly kind: "none" }
  | { readonly kind: "contiguous"; readonly first: number; readonly last: number }
  | { readonly kind: "gap"; readonly after: number; readonly before: number }
  | { readonly kind: "twice"; readonly at: number };

/** Return the first gap or repetition from the newest entry on, or the range that is complete. */
export function sequenceReport(entries: readonly Pick<Schemas["AuditEntry"], "sequence">[]): SequenceReport {
  const links = entries.flatMap(({ sequence }) => (sequence === null ? [] : [sequence])).sort((one, other) => other - one);
  if (links.length === 0) return { kind: "none" };
  for (const [index, link] of links.entries()) {
    const next = links[index + 1];
    if (next === link) return { kind: "twice", at: link };
    if (next !== undefined && next !== link - 1) return { kind: "gap", after: next, before: link };
  }
  return { kind: "contiguous", first: links.at(-1)!, last: links[0]! };
}
