/** Where the cursor is in a YAML text, also while the text is not complete, and what may be written there. */
import { alternatives, kindOf, meaningsOf, nodesAt, type Path, type SchemaNode } from "./schema";

export interface CursorContext {
  /** Path of the map or list that the cursor is in. */
  readonly path: Path;
  /** The name before the colon, when the cursor is in a value. */
  readonly key: string | null;
  /** Start of the word that is being typed. */
  readonly from: number;
  readonly word: string;
  /** Names that the map has already. */
  readonly siblings: readonly string[];
  /** Whether the cursor is at the begin of an item of a list. */
  readonly isItem: boolean;
}

interface Line {
  readonly dashes: readonly number[];
  readonly column: number;
  readonly key: string | null;
  readonly rest: string;
}

const KEY = /^(?:"([^"]*)"|'([^']*)'|([^\s#:"'[\]{},][^:#]*?))\s*:(?:\s+|$)(.*)$/;

function lineOf(text: string): Line {
  const lead = /^(\s*)((?:-\s+|-$)*)(.*)$/.exec(text)!;
  const indent = lead[1]!.length;
  const dashes = [...lead[2]!.matchAll(/-/g)].map(({ index }) => indent + index);
  const found = KEY.exec(lead[3]!);
  const key = found === null ? null : (found[1] ?? found[2] ?? found[3] ?? null);
  return { dashes, column: indent + lead[2]!.length, key, rest: found === null ? lead[3]! : found[4]! };
}

/** Return the context of a position by the indentation of the lines above; null inside a comment. */
export function contextAt(text: string, position: number): CursorContext | null {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  const prefix = text.slice(start, position);
  if (/(^|\s)#/.test(prefix)) return null;
  const line = lineOf(prefix);
  const path: (string | number)[] = [...line.dashes.map(() => 0)];
  const siblings: string[] = [];
  let need = line.dashes[0] ?? line.column;
  let isDash = line.dashes.length > 0;
  for (const above of text.slice(0, start).split("\n").reverse()) {
    if (/^\s*(#|$)/.test(above)) continue;
    const { dashes, column, key } = lineOf(above);
    if (key !== null) {
      if (column === line.column && path.length === line.dashes.length && !isDash) siblings.push(key);
      if (column < need || (isDash && column === need)) {
        path.unshift(key);
        [need, isDash] = [column, false];
      }
    }
    for (const dash of [...dashes].reverse()) {
      if (dash >= need) continue;
      path.unshift(0);
      [need, isDash] = [dash, true];
    }
    if (need === 0 && !isDash) break;
  }
  siblings.push(...siblingsBelow(text, position, line.column));
  const written = line.key === null ? line.rest : line.rest;
  const word = /[^\s[\]{},"']*$/.exec(written)![0];
  return { path, key: line.key, from: position - word.length, word, siblings, isItem: line.dashes.length > 0 };
}

function siblingsBelow(text: string, position: number, column: number): string[] {
  const end = text.indexOf("\n", position);
  if (end < 0) return [];
  const found: string[] = [];
  for (const below of text.slice(end + 1).split("\n")) {
    if (/^\s*(#|$)/.test(below)) continue;
    const line = lineOf(below);
    if (line.dashes.length > 0 ? line.dashes[0]! <= column : line.column < column) break;
    if (line.column === column && line.key !== null) found.push(line.key);
  }
  return found;
}

export interface Suggestion {
  readonly label: string;
  /** What is inserted. */
  readonly insert: string;
  readonly detail: string;
  readonly info: string;
}

/** Return what may be written at the cursor: names of settings, or values of the setting before the colon. */
export function suggestions(root: SchemaNode, context: CursorContext, zones: readonly string[] = []): Suggestion[] {
  if (context.key === null) {
    const nodes = nodesAt(root, context.path);
    return [...names(nodes, root, context), ...values(nodes)];
  }
  const nodes = nodesAt(root, [...context.path, context.key]);
  if (context.key === "time_zone") return zones.map((zone) => ({ label: zone, insert: zone, detail: "time zone", info: "" }));
  const items = nodes.flatMap((node) => (node.items === undefined ? [] : alternatives(node.items, root)));
  return [...values(nodes), ...values(items)];
}

function names(nodes: readonly SchemaNode[], root: SchemaNode, { siblings, path }: CursorContext): Suggestion[] {
  const taken = new Set(siblings);
  const indent = "  ".repeat(path.length + 1);
  const seen = new Set<string>();
  return nodes.flatMap((node) =>
    Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
      if (taken.has(name) || seen.has(name)) return [];
      seen.add(name);
      const inner = alternatives(property, root);
      const isSection = inner.length === 1 && inner[0]?.properties !== undefined;
      const insert = isSection ? `${name}:\n${indent}` : `${name}: `;
      return [{ label: name, insert, detail: detailOf(inner), info: property.description ?? inner[0]?.description ?? "" }];
    }),
  );
}

function values(nodes: readonly SchemaNode[]): Suggestion[] {
  const found = nodes.flatMap((node) => {
    const meanings = meaningsOf(node);
    const info = (word: string) => meanings[word] ?? node.description ?? "";
    if (node.type === "boolean") return ["true", "false"].map((word) => value(word, "", info(word)));
    if (typeof node.const === "string") return [value(node.const, "", info(node.const))];
    if (node.enum !== undefined) return node.enum.filter((word) => typeof word === "string").map((word) => value(word, "", info(word)));
    const samples = (node.examples ?? []).filter((sample) => ["string", "number"].includes(typeof sample));
    return samples.map((sample) => value(String(sample), "example", node.description ?? ""));
  });
  return [...new Map(found.map((each) => [each.label, each])).values()];
}

const value = (label: string, detail: string, info: string): Suggestion => ({ label, insert: label, detail, info });

function detailOf(nodes: readonly SchemaNode[]): string {
  const parts = nodes.map((node) => {
    if (typeof node.const === "string") return node.const;
    if (node.enum !== undefined) return node.enum.length > 4 ? "a word" : node.enum.join(" | ");
    if (node.properties !== undefined) return "object";
    if (node.type === "string") return kindOf(node);
    return { array: "list", integer: "number" }[node.type ?? ""] ?? node.type ?? "";
  });
  return [...new Set(parts)].filter((part) => part !== "").join(" | ");
}
