/** The address of a table as a person types it, read by the rules of the API. */
import type { Schemas } from "../../api/client";

const PART = /^(?:"((?:[^"]|"")+)"|([^".]+))(?:\.|$)/;

export type Address = Pick<Schemas["TableRegister"], "catalog" | "namespace" | "name">;

/** Parse `catalog.namespace.name`; a part with a dot or a quote is in double quotes. Null: it is not an address. */
export function parseAddress(text: string): Address | null {
  const parts: string[] = [];
  let rest = text.trim();
  if (rest.endsWith(".")) return null;
  while (rest !== "") {
    const match = PART.exec(rest);
    if (match === null) return null;
    parts.push(match[1] === undefined ? (match[2] as string) : match[1].replaceAll('""', '"'));
    rest = rest.slice(match[0].length);
  }
  const [catalog, ...levels] = parts;
  const name = levels.pop();
  if (catalog === undefined || name === undefined || levels.length === 0) return null;
  return { catalog, namespace: levels, name };
}

/** Return labels written `key:value` as an object, or null if one is not. A later value replaces an earlier one. */
export function parseLabels(texts: readonly string[]): Record<string, string> | null {
  const labels: Record<string, string> = {};
  for (const text of texts) {
    const at = text.indexOf(":");
    if (at < 1) return null;
    labels[text.slice(0, at).trim()] = text.slice(at + 1).trim();
  }
  return labels;
}
