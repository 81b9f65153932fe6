/** Scopes of policies: names, order of strength, and what a policy of a scope is called by default. */
import type { Schemas } from "../../../api/client";
import { tableAddress } from "../../../format/addresses";

export type Scope = Schemas["ScopedPolicy"]["scope"];
export type ScopeKind = Scope["kind"];

/** The kinds from the weakest to the strongest, each with what it covers. */
export const SCOPE_KINDS: readonly (readonly [ScopeKind, string])[] = [
  ["fleet", "every table"],
  ["team", "the tables that a team owns"],
  ["catalog", "every table of a catalog"],
  ["namespace", "the tables of a namespace and of those inside it"],
  ["pattern", "the tables whose address fits a pattern"],
  ["label", "the tables that have a label"],
];

/** Write a scope: `namespace lake.shop`. */
export function scopeText(scope: Scope): string {
  switch (scope.kind) {
    case "fleet":
      return "fleet";
    case "team":
      return `team ${scope.team}`;
    case "catalog":
      return `catalog ${scope.catalog}`;
    case "namespace":
      return `namespace ${[scope.catalog, ...scope.namespace].join(".")}`;
    case "pattern":
      return `pattern ${scope.pattern}`;
    case "label":
      return `label ${scope.key}=${scope.value}`;
  }
}

/** Return the origin that settings of a policy have in the effective policy of a table. */
export function originOf(scope: Scope, name: string): string {
  return scope.kind === "pattern" ? `pattern ${name}` : scopeText(scope);
}

/** Suggest a name for the policy of a scope: letters, digits, `-` and `_`. */
export function suggestedName(scope: Scope): string {
  const text = scope.kind === "fleet" ? "fleet" : scopeText(scope);
  return text.normalize("NFKD").replace(/[^A-Za-z0-9_]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 64).toLowerCase();
}

/** Return the options of the command line that name a scope. */
export function scopeOptions(scope: Scope): string[] {
  switch (scope.kind) {
    case "fleet":
      return ["--fleet"];
    case "team":
      return ["--team", scope.team];
    case "catalog":
      return ["--catalog", scope.catalog];
    case "namespace":
      return ["--namespace", [scope.catalog, ...scope.namespace].join(".")];
    case "pattern":
      return ["--pattern", scope.pattern];
    case "label":
      return ["--label", `${scope.key}=${scope.value}`];
  }
}

/** Read a scope of an address; null if it is none. */
export function readScope(text: string): Scope | null {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== "object" || !("kind" in value)) return null;
    const scope = value as Record<string, unknown>;
    const needed: Record<string, readonly string[]> = { fleet: [], team: ["team"], catalog: ["catalog"], namespace: ["catalog"], pattern: ["pattern"], label: ["key", "value"] };
    const fields = needed[String(scope.kind)];
    if (fields === undefined || fields.some((field) => typeof scope[field] !== "string")) return null;
    if (scope.kind === "namespace" && !(Array.isArray(scope.namespace) && scope.namespace.every((level) => typeof level === "string"))) return null;
    return scope as unknown as Scope;
  } catch {
    return null;
  }
}

/** Return the filter of the list of tables that finds the tables of a scope; patterns are matched afterwards. */
export function tableFilter(scope: Scope): { catalog?: string; namespace?: string[]; owner_team?: string; label?: string[] } {
  switch (scope.kind) {
    case "team":
      return { owner_team: scope.team };
    case "catalog":
    case "namespace":
      return { catalog: scope.catalog };
    case "label":
      return { label: [`${scope.key}:${scope.value}`] };
    case "fleet":
    case "pattern":
      return {};
  }
}

/** Return whether a scope covers a table. Labels are compared by the list's own filter. */
export function covers(scope: Scope, table: { catalog: string; namespace: readonly string[]; name: string }): boolean {
  if (scope.kind === "namespace") {
    return table.catalog === scope.catalog && scope.namespace.every((level, index) => table.namespace[index] === level);
  }
  if (scope.kind === "pattern") {
    const parts = scope.pattern.split(/([*?])/).map((part) => (part === "*" ? ".*" : part === "?" ? "." : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")));
    return new RegExp(`^${parts.join("")}$`, "su").test(tableAddress(table));
  }
  return true;
}
