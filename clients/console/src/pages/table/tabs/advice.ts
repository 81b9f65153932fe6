/** Advice of the API as changes of the table's policy: a reason, and a JSON merge patch to start the editor with. */
import type { Schemas } from "../../../api/client";

export interface Suggestion {
  readonly key: string;
  readonly title: string;
  readonly because: string;
  /** JSON merge patch of the policy. */
  readonly patch: Readonly<Record<string, unknown>>;
}

/** Return a merge patch that sets one dotted setting. */
export function patchOf(setting: string, value: unknown): Record<string, unknown> {
  return setting.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Record<string, unknown>;
}

/** Return the layout that suits the queries, as a change; null if the table has it or it is not known. */
export function layoutSuggestion(layout: Schemas["LayoutAdvice"], settings: Readonly<Record<string, Schemas["ExplainedSetting"]>>): Suggestion | null {
  const strategy = settings["rewrite.strategy"]?.value;
  const columns = JSON.stringify(settings["rewrite.columns"]?.value ?? []);
  if (layout.layout === "cluster" && layout.cluster_by.length > 0) {
    const wanted = layout.cluster_by.length === 1 ? "sort" : "zorder";
    if (columns === JSON.stringify(layout.cluster_by) && strategy !== "binpack") return null;
    const title = `Order rows by ${layout.cluster_by.join(", ")}`;
    return { key: "layout", title, because: layout.because, patch: { rewrite: { strategy: wanted, columns: layout.cluster_by } } };
  }
  if (layout.layout === "binpack" && typeof strategy === "string" && ["sort", "zorder", "hilbert"].includes(strategy)) {
    return { key: "layout", title: "Pack files without an order", because: layout.because, patch: { rewrite: { strategy: "binpack", columns: [] } } };
  }
  return null;
}

/**
 * Return operations that are off and would have something to do, each with the setting it was judged by.
 *
 * Not `remove_orphans`: whether there are orphans is known only after a search, so it is not a finding of the table.
 */
export function upkeepSuggestions(operations: readonly Schemas["UpkeepOperation"][]): Suggestion[] {
  return operations
    .filter(({ operation }) => operation !== "remove_orphans")
    .filter(({ is_on: isOn, assumed, count, blocked }) => !isOn && assumed !== null && count > 0 && blocked === null)
    .map(({ setting, assumed, detail, operation }) => ({
      key: operation,
      title: `Switch ${setting} on`,
      because: detail,
      patch: patchOf(setting, assumed),
    }));
}

const SETTLED = { name: "settled few files", all: [{ metric: "small_file_count", at_least: 2 }, { metric: "newest_file_age", at_least: "1h" }] };

/** Return a rule for files that no rule makes due, added to the present rules; null without such advice. */
export function neverDueSuggestion(
  triggers: Schemas["ExplainedTriggers"] | null,
  settings: Readonly<Record<string, Schemas["ExplainedSetting"]>>,
): Suggestion | null {
  const because = triggers?.advice[0]?.text;
  const present = settings.triggers?.value;
  if (because === undefined || !Array.isArray(present)) return null;
  if (present.some((rule: unknown) => rule !== null && typeof rule === "object" && "name" in rule && rule.name === SETTLED.name)) return null;
  return { key: "triggers", title: "Add a rule for partitions with few files", because, patch: { triggers: [...present, SETTLED] } };
}
