/** A walk over the JSON Schema of policies: what a path may hold, the settings that are inherited one by one, and hints. */
export interface SchemaNode {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, SchemaNode>>;
  readonly anyOf?: readonly SchemaNode[];
  readonly oneOf?: readonly SchemaNode[];
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: boolean | SchemaNode;
  readonly required?: readonly string[];
  readonly items?: SchemaNode;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
}

export type Path = readonly (string | number)[];

/** Form of a scalar, by which it is read, compared and shown. */
export type Kind = "size" | "rate" | "duration" | "share" | "clock" | "moment" | "text";

/** A setting that is inherited as a whole, by its dotted name. */
export interface Leaf {
  readonly name: string;
  readonly path: readonly string[];
  readonly node: SchemaNode;
  readonly description: string;
}

/** Return the alternatives of a node, references resolved; `null` (inherit) is left out. */
export function alternatives(node: SchemaNode, root: SchemaNode): SchemaNode[] {
  if (node.$ref !== undefined) {
    const { $ref, ...outer } = node;
    const target = root.$defs?.[$ref.replace("#/$defs/", "")];
    return target === undefined ? [] : alternatives({ ...target, ...outer }, root);
  }
  const several = node.anyOf ?? node.oneOf;
  if (several === undefined) return node.type === "null" ? [] : [node];
  const { anyOf, oneOf, ...outer } = node;
  return several.flatMap((each) => alternatives(each, root)).map((each) => narrowed(outer, each));
}

function narrowed(outer: SchemaNode, inner: SchemaNode): SchemaNode {
  const lower = [outer.minimum, inner.minimum].filter((value) => value !== undefined);
  const upper = [outer.maximum, inner.maximum].filter((value) => value !== undefined);
  return {
    ...outer,
    ...inner,
    ...(lower.length > 0 ? { minimum: Math.max(...lower) } : {}),
    ...(upper.length > 0 ? { maximum: Math.min(...upper) } : {}),
    ...(outer.description !== undefined ? { description: outer.description } : {}),
  };
}

/** Return whether a node accepts null, which means "inherit". */
export function isNullable(node: SchemaNode): boolean {
  return node.type === "null" || [...(node.anyOf ?? []), ...(node.oneOf ?? [])].some((each) => each.type === "null");
}

/** Return the alternatives of what a path of a policy may hold; empty where the schema has no such path. */
export function nodesAt(root: SchemaNode, path: Path): SchemaNode[] {
  let nodes = alternatives(root, root);
  for (const step of path) {
    nodes = nodes.flatMap((node) => {
      const next = typeof step === "number" ? node.items : own(node.properties, step);
      return next === undefined ? [] : alternatives(next, root);
    });
  }
  return nodes;
}

/** Return a property of an object itself, not of its prototype. */
export function own<T>(from: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return from !== undefined && Object.hasOwn(from, name) ? from[name] : undefined;
}

/** Return all settings in the order of the schema: objects that are merged are entered, all others are whole. */
export function leavesOf(root: SchemaNode): Leaf[] {
  const enter = (node: SchemaNode, path: readonly string[]): Leaf[] =>
    Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
      const inner = [...path, name];
      const found = alternatives(property, root);
      const [only] = found;
      if (found.length === 1 && only?.properties !== undefined) return enter(only, inner);
      return [{ name: inner.join("."), path: inner, node: property, description: property.description ?? "" }];
    });
  return enter(root, []);
}

/** Return the form of a text by its pattern. */
export function kindOf(node: SchemaNode): Kind {
  const pattern = node.pattern ?? "";
  if (pattern.includes("bit/s")) return "rate";
  if (pattern.includes("iB)")) return "size";
  if (pattern.includes("[smhd]")) return "duration";
  if (pattern.endsWith("%$")) return "share";
  if (pattern === "^([01][0-9]|2[0-3]):[0-5][0-9]$") return "clock";
  if (pattern.startsWith("^2[01][0-9]{2}-")) return "moment";
  return "text";
}

/** Return the words that a setting accepts: enumerations, `off`, `unlimited`, true and false. */
export function wordsOf(nodes: readonly SchemaNode[]): (string | boolean)[] {
  return nodes.flatMap((node): (string | boolean)[] => {
    if (node.type === "boolean") return [true, false];
    if (typeof node.const === "string") return [node.const];
    return (node.enum ?? []).filter((value) => typeof value === "string");
  });
}

/** Return the candidate that a mistyped word most likely means, or null if none is near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const wanted = word.toLowerCase();
  let [best, distance] = [null as string | null, Math.max(2, Math.floor(wanted.length / 3)) + 1];
  for (const candidate of candidates) {
    const found = edits(wanted, candidate.toLowerCase(), distance);
    if (found < distance) [best, distance] = [candidate, found];
  }
  return best;
}

/** Return the number of edits between two words (Levenshtein), or `limit` if there are at least as many. */
function edits(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return Math.min(row[b.length]!, limit);
}

/** Return the value of a path inside a document, undefined where it has none. */
export function valueAt(value: unknown, path: Path): unknown {
  let at: unknown = value;
  for (const step of path) {
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

/** Return the meanings of metrics, which the schema has as one text `name: meaning; name: meaning`. */
export function meaningsOf(node: SchemaNode): Readonly<Record<string, string>> {
  const names = (node.enum ?? []).filter((value): value is string => typeof value === "string");
  const parts = (node.description ?? "").split("; ").map((part) => part.split(": "));
  return Object.fromEntries(parts.filter(([name]) => names.includes(name!)).map(([name, ...rest]) => [name!, rest.join(": ")]));
}
