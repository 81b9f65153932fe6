/** Find what a policy document has wrong, while it is typed: unknown names, wrong types, values out of range. */
import { bytes } from "../../../format/sizes";
import { bestObject } from "./canonical";
import { alternatives, isNullable, kindOf, nearest, own, type Path, type SchemaNode, wordsOf } from "./schema";
import { readRate, readSize } from "./units";

export interface Flaw {
  readonly path: Path;
  readonly message: string;
  /** What to write instead; null if it is not known. */
  readonly hint: string | null;
  /** Whether the name at the path is wrong, and not its value. */
  readonly isName: boolean;
}

/** Return the flaws of a policy, in the order of the document. */
export function check(value: unknown, root: SchemaNode): Flaw[] {
  return flawsOf(value, root, root, []);
}

function flawsOf(value: unknown, node: SchemaNode, root: SchemaNode, path: Path): Flaw[] {
  if (value === null || value === undefined) return isNullable(node) || path.length === 0 ? [] : [flaw(path, "needs a value")];
  const nodes = alternatives(node, root);
  if (Array.isArray(value)) return flawsOfList(value, nodes, root, path);
  if (typeof value === "object") return flawsOfObject(value as Record<string, unknown>, nodes, root, path);
  if (nodes.some((each) => accepts(value, each))) return [];
  const known = wordsOf(nodes).filter((word) => typeof word === "string");
  const meant = typeof value === "string" ? nearest(value, known) : null;
  return [flaw(path, `must be ${wanted(nodes)}`, meant === null ? null : `did you mean '${meant}'?`)];
}

function flawsOfList(value: readonly unknown[], nodes: readonly SchemaNode[], root: SchemaNode, path: Path): Flaw[] {
  const list = nodes.find((each) => each.type === "array");
  if (list?.items === undefined) return [flaw(path, `must be ${wanted(nodes)}, not a list`)];
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = list;
  if (value.length < minItems) return [flaw(path, `must have at least ${minItems} item${minItems === 1 ? "" : "s"}`)];
  if (value.length > maxItems) return [flaw(path, `must have at most ${maxItems} items`)];
  return value.flatMap((each, index) => flawsOf(each, items, root, [...path, index]));
}

function flawsOfObject(value: Record<string, unknown>, nodes: readonly SchemaNode[], root: SchemaNode, path: Path): Flaw[] {
  const object = bestObject(value, nodes);
  if (object === undefined) return [flaw(path, `must be ${wanted(nodes)}, not an object`)];
  const properties = object.properties ?? {};
  const missing = (object.required ?? []).filter((name) => value[name] === undefined || value[name] === null);
  const inner = Object.entries(value).flatMap(([name, given]) => {
    const property = own(properties, name);
    if (property !== undefined) return flawsOf(given, property, root, [...path, name]);
    const meant = nearest(name, Object.keys(properties));
    const hint = meant === null ? null : `did you mean '${meant}'?`;
    return [{ path: [...path, name], message: `'${name.slice(0, 80)}' is not a field here`, hint, isName: true }];
  });
  return [...missing.map((name) => flaw(path, `'${name}' is missing`)), ...inner];
}

const flaw = (path: Path, message: string, hint: string | null = null): Flaw => ({ path, message, hint, isName: false });

function accepts(value: unknown, node: SchemaNode): boolean {
  if (node.const !== undefined) return value === node.const;
  if (node.enum !== undefined) return node.enum.includes(value);
  if (node.type === "boolean") return typeof value === "boolean";
  if (node.type === "integer") return typeof value === "number" && Number.isInteger(value) && inRange(value, node);
  if (node.type === "number") return typeof value === "number" && inRange(value, node);
  if (node.type !== "string" || typeof value !== "string") return false;
  if (node.pattern !== undefined && !matches(node.pattern, value)) return false;
  const kind = kindOf(node);
  const figure = kind === "size" ? readSize(value) : kind === "rate" ? readRate(value) : null;
  if (figure !== null && !inRange(figure, node)) return false;
  return value.length >= (node.minLength ?? 0) && value.length <= (node.maxLength ?? Number.POSITIVE_INFINITY);
}

const patterns = new Map<string, RegExp | null>();

function matches(pattern: string, value: string): boolean {
  if (!patterns.has(pattern)) patterns.set(pattern, compiled(pattern));
  return patterns.get(pattern)?.test(value) ?? true; // what this browser cannot judge is left to the server
}

function compiled(pattern: string): RegExp | null {
  try {
    return new RegExp(pattern, "u");
  } catch {
    return null;
  }
}

function inRange(value: number, node: SchemaNode): boolean {
  if (node.minimum !== undefined && value < node.minimum) return false;
  if (node.maximum !== undefined && value > node.maximum) return false;
  if (node.exclusiveMinimum !== undefined && value <= node.exclusiveMinimum) return false;
  return node.exclusiveMaximum === undefined || value < node.exclusiveMaximum;
}

/** Return what a setting accepts, as the object of "must be". */
export function wanted(nodes: readonly SchemaNode[]): string {
  const kinds = new Set(nodes.filter(({ type, const: word }) => type === "string" && word === undefined).map(kindOf));
  const parts = nodes.flatMap((node) => words(node) ?? wantedOf(node, kinds.has("size") || kinds.has("rate"))).filter((part) => part !== "");
  const unique = [...new Set(parts)];
  return unique.length < 2 ? (unique[0] ?? "a value") : `${unique.slice(0, -1).join(", ")} or ${unique.at(-1)}`;
}

/** Return the words of a short enumeration, each in quotes; null for other nodes. */
function words(node: SchemaNode): string[] | null {
  return node.enum === undefined || node.enum.length > 8 ? null : node.enum.map((word) => `'${String(word)}'`);
}

function wantedOf(node: SchemaNode, isBytes: boolean): string {
  if (typeof node.const === "string") return `'${node.const}'`;
  if (node.enum !== undefined) return "one of the known names";
  if (node.type === "boolean") return "true or false";
  if (node.type === "array") return "a list";
  if (node.properties !== undefined) return "an object";
  if (node.type === "integer") return isBytes ? "" : `a whole number${range(node, String)}`;
  if (node.type === "number") return isBytes ? "" : `a number${range(node, String)}`;
  const sample = node.examples?.[0];
  const such = typeof sample === "string" ? ` such as ${sample}` : "";
  const noun = { size: "a size", rate: "a rate", duration: "a duration", share: "a share", clock: "a time of day", moment: "a date, or a date and time", text: "text" }[kindOf(node)];
  return `${noun}${kindOf(node) === "size" ? range(node, bytes) : ""}${such}`;
}

function range(node: SchemaNode, write: (value: number) => string): string {
  const lower = node.minimum ?? node.exclusiveMinimum;
  const upper = node.maximum ?? node.exclusiveMaximum;
  const isOpen = upper === undefined || upper >= Number.MAX_SAFE_INTEGER;
  if (lower === undefined) return isOpen ? "" : ` up to ${write(upper!)}`;
  const first = node.minimum === undefined ? `above ${write(lower)}` : `of at least ${write(lower)}`;
  return isOpen ? (lower <= 1 ? "" : ` ${first}`) : node.minimum === undefined ? ` ${first}, up to ${write(upper)}` : ` from ${write(lower)} to ${write(upper)}`;
}
