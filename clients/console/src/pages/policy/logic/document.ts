/** A policy as YAML text that keeps its comments: read it, change single settings of it, and find places in it. */
import { Document, isMap, isScalar, isSeq, type Node, parseDocument, Scalar, visit } from "yaml";
import { readable } from "./canonical";
import type { Path, SchemaNode } from "./schema";

export type PolicyValue = Readonly<Record<string, unknown>>;
export type Range = readonly [from: number, to: number];

export interface YamlFault {
  readonly message: string;
  /** Line, from 1. */
  readonly line: number;
  readonly range: Range;
}

export interface Parsed {
  readonly text: string;
  /** The policy; null while the text is not YAML of an object. */
  readonly value: PolicyValue | null;
  readonly fault: YamlFault | null;
  readonly document: Document.Parsed;
}

/** Read a YAML text as a policy. An empty text is a policy that sets nothing. */
export function parsePolicy(text: string): Parsed {
  const document = parseDocument(text, { prettyErrors: true });
  const [error] = document.errors;
  if (error !== undefined) {
    const message = error.message.replace(/ at line \d+, column \d+:[\s\S]*$/, "");
    return { text, document, value: null, fault: { message, line: error.linePos?.[0].line ?? 1, range: error.pos } };
  }
  if (document.contents === null || (isScalar(document.contents) && document.contents.value === null)) {
    return { text, document, value: {}, fault: null };
  }
  if (!isMap(document.contents)) {
    const fault = { message: "A policy is a map of settings, such as `priority: high`", line: 1, range: [0, text.length] as const };
    return { text, document, value: null, fault };
  }
  try {
    return { text, document, value: document.toJS({ maxAliasCount: 50 }) as PolicyValue, fault: null };
  } catch (failure) {
    const message = failure instanceof Error ? failure.message : String(failure);
    return { text, document, value: null, fault: { message, line: 1, range: [0, text.length] } };
  }
}

const STYLE = { lineWidth: 0, flowCollectionPadding: false } as const;

/** Write a stored policy as YAML, short lists in one line, sizes in readable units. */
export function policyText(policy: unknown, root: SchemaNode): string {
  const value = readable(policy ?? {}, root, root) as PolicyValue;
  return Object.keys(value).length === 0 ? "" : flowing(new Document(value)).toString(STYLE);
}

function flowing<T extends Document | Node>(root: T): T {
  visit(root as Node, {
    Seq: (_, node) => {
      if (node.items.every(isScalar)) node.flow = true;
    },
    Map: (_, node, ancestors) => {
      const isItem = ancestors.some(isSeq);
      if (isItem && node.items.length <= 3 && node.items.every(({ value }) => isScalar(value))) node.flow = true;
    },
  });
  return root;
}

/** Return the text with a setting changed; undefined removes it, and sections that become empty with it. */
export function withSetting(text: string, path: Path, value: unknown): string {
  const { document } = parsePolicy(text);
  if (value === undefined) remove(document, path);
  else put(document, path, value);
  const isEmpty = document.contents === null || (isMap(document.contents) && document.contents.items.length === 0);
  if (isEmpty) return commentsOf(text);
  return document.toString({ ...STYLE, indentSeq: !/^( *)[\w"-]+:[ \t]*\n\1- /m.test(text) });
}

/** Return the text with several settings changed. */
export function withSettings(text: string, changes: readonly (readonly [Path, unknown])[]): string {
  return changes.reduce((changed, [path, value]) => withSetting(changed, path, value), text);
}

function put(document: Document.Parsed, path: Path, value: unknown): void {
  for (let depth = 0; depth < path.length; depth++) {
    const above = path.slice(0, depth);
    const found = depth === 0 ? document.contents : (document.getIn(above, true) as Node | undefined);
    if (found === undefined || isMap(found) || isSeq(found)) continue;
    const empty = document.createNode({});
    if (depth === 0) document.contents = empty as never;
    else document.setIn(above, empty);
  }
  const present = document.getIn(path, true);
  if (isScalar(present) && (value === null || typeof value !== "object")) {
    present.value = value;
    delete present.format;
    delete present.minFractionDigits;
    if (present.type === Scalar.BLOCK_FOLDED || present.type === Scalar.BLOCK_LITERAL) delete present.type;
  } else document.setIn(path, typeof value === "object" ? flowing(document.createNode(value)) : value);
}

function remove(document: Document.Parsed, path: Path): void {
  if (!document.hasIn(path)) return;
  document.deleteIn(path);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const above = document.getIn(path.slice(0, depth), true);
    if (!isMap(above) || above.items.length > 0) return;
    document.deleteIn(path.slice(0, depth));
  }
}

function commentsOf(text: string): string {
  return text
    .split("\n")
    .filter((line) => /^\s*#/.test(line))
    .map((line) => `${line.trim()}\n`)
    .join("");
}

/** Return the place of a path in the text: of its name, or of its value; of the nearest parent if it is not there. */
export function rangeOf(parsed: Parsed, path: Path, place: "name" | "value" = "value"): Range {
  let node: unknown = parsed.document.contents;
  let range: Range = [0, Math.min(parsed.text.length, 1)];
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
      if (pair === undefined) return range;
      const key = pair.key as Scalar;
      const next = pair.value as Node | null;
      const own = isLast && place === "name" ? key.range : isScalar(next) || isFlow(next) ? next?.range : key.range;
      if (own) range = [own[0], own[1]];
      node = next;
    } else if (isSeq(node)) {
      const item = node.items[Number(step)] as Node | undefined;
      if (item === undefined) return range;
      if (item.range) range = [item.range[0], Math.min(item.range[1], lineEnd(parsed.text, item.range[0]))];
      node = item;
    } else return range;
  }
  return range;
}

const isFlow = (node: unknown): boolean => (isMap(node) || isSeq(node)) && node.flow === true;

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

/** Return the line of a position, from 1. */
export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** Return the steps of a JSON pointer; numbers are items of lists. */
export function pointerPath(pointer: string): Path {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
