/** Values in one written form each, to see whether two documents mean the same: `128MiB` and 134217728 do. */
import { alternatives, kindOf, type Kind, type Leaf, own, type SchemaNode, valueAt } from "./schema";
import { readDuration, readRate, readSize, writeSize } from "./units";

/** Return the kinds of text that a node accepts. */
export function kindsOf(node: SchemaNode, root: SchemaNode): Kind[] {
  return alternatives(node, root)
    .filter(({ type, const: word, enum: words }) => type === "string" && word === undefined && words === undefined)
    .map(kindOf);
}

/** Return a value with sizes in bytes, durations in seconds, and the defaults of the schema filled in. */
export function canonical(value: unknown, node: SchemaNode, root: SchemaNode): unknown {
  if (typeof value === "string") return canonicalText(value, kindsOf(node, root));
  if (value === null || typeof value !== "object") return value;
  const nodes = alternatives(node, root);
  if (Array.isArray(value)) {
    const items = nodes.find((each) => each.items !== undefined)?.items;
    return items === undefined ? value : value.map((each) => canonical(each, items, root));
  }
  const object = bestObject(value as Record<string, unknown>, nodes);
  const result: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(object?.properties ?? {})) {
    const fallback = alternatives(property, root).find((each) => each.default !== undefined)?.default ?? property.default;
    const given = own(value as Record<string, unknown>, name) ?? fallback;
    if (given !== undefined && given !== null) result[name] = canonical(given, property, root);
  }
  for (const [name, given] of Object.entries(value)) if (given !== null && !Object.hasOwn(result, name)) result[name] = given;
  return result;
}

function canonicalText(value: string, kinds: readonly Kind[]): unknown {
  for (const kind of kinds) {
    if (kind === "size") return readSize(value) ?? otherwise(value, kinds, kind);
    if (kind === "rate") return readRate(value) ?? value;
    if (kind === "duration") return seconds(value);
    if (kind === "moment") return moment(value);
  }
  return value;
}

const otherwise = (value: string, kinds: readonly Kind[], kind: Kind): unknown =>
  canonicalText(value, kinds.filter((each) => each !== kind));

function seconds(value: string): string {
  const read = readDuration(value);
  return read === null ? value : `${read}s`;
}

const MOMENT = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d(?:\.\d+)?))?)?(Z|[+-]\d\d:\d\d)?$/;

/** A date stands for its midnight, and seconds may be left out. */
function moment(value: string): string {
  const found = MOMENT.exec(value);
  if (found === null) return value;
  const [, date, time = "00:00", second = "00", offset] = found;
  if (offset !== undefined) return new Date(`${date}T${time}:${second}${offset}`).toISOString();
  return `${date} ${time} ${Number(second)}`;
}

/** Return the object alternative that has most of a value's names. */
export function bestObject(value: object, nodes: readonly SchemaNode[]): SchemaNode | undefined {
  const names = Object.keys(value);
  const score = (node: SchemaNode) => names.filter((name) => own(node.properties, name) !== undefined).length;
  const objects = nodes.filter((node) => node.properties !== undefined);
  return objects.reduce<SchemaNode | undefined>((best, node) => (best === undefined || score(node) > score(best) ? node : best), undefined);
}

/** Return whether two values of a setting mean the same; undefined and null are "not set". */
export function isSame(a: unknown, b: unknown, leaf: Leaf, root: SchemaNode): boolean {
  return stable(canonical(a ?? null, leaf.node, root)) === stable(canonical(b ?? null, leaf.node, root));
}

function stable(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Return the settings in which two documents differ. */
export function differing(a: unknown, b: unknown, leaves: readonly Leaf[], root: SchemaNode): Leaf[] {
  return leaves.filter((leaf) => !isSame(valueAt(a, leaf.path), valueAt(b, leaf.path), leaf, root));
}

/** Return a stored document with its sizes and rates in exact readable units, as a person would write it. */
export function readable(value: unknown, node: SchemaNode, root: SchemaNode): unknown {
  const nodes = alternatives(node, root);
  if (typeof value === "number") {
    const kinds = kindsOf(node, root);
    const isBytes = kinds.includes("rate") || (kinds.includes("size") && !kinds.includes("duration"));
    const written = isBytes ? writeSize(value) : value;
    return typeof written === "string" && kinds.includes("rate") ? `${written}/s` : written;
  }
  if (Array.isArray(value)) {
    const items = nodes.find((each) => each.items !== undefined)?.items;
    return items === undefined ? value : value.map((each) => readable(each, items, root));
  }
  if (value === null || typeof value !== "object") return value;
  const object = bestObject(value, nodes);
  const isOfSizes = "metric" in value && String(value.metric).endsWith("_bytes");
  const entries = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      const property = own(object?.properties, name);
      if (isOfSizes && typeof inner === "number") return [name, writeSize(inner)];
      return [name, property === undefined ? inner : readable(inner, property, root)];
    }),
  );
}
