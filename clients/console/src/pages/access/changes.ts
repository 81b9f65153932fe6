/** Differences of an object before and after a change, by the dotted names of its values. */
export interface Change {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed" | "same";
  readonly before: string;
  readonly after: string;
}

type Tree = Readonly<Record<string, unknown>> | null;

function flat(value: unknown, path: string, into: Map<string, string>): void {
  if (value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length > 0) {
    for (const [name, part] of Object.entries(value)) flat(part, path === "" ? name : `${path}.${name}`, into);
  } else into.set(path, typeof value === "string" ? value : JSON.stringify(value) ?? "");
}

function leaves(tree: Tree): Map<string, string> {
  const into = new Map<string, string>();
  if (tree !== null && Object.keys(tree).length > 0) flat(tree, "", into);
  return into;
}

/** Return every value of both, changed ones first, each in the order of the object. */
export function changesOf(before: Tree, after: Tree): Change[] {
  const [old, fresh] = [leaves(before), leaves(after)];
  const paths = [...new Set([...old.keys(), ...fresh.keys()])];
  const changes = paths.map((path): Change => {
    const [was, is] = [old.get(path), fresh.get(path)];
    const kind = was === undefined ? "added" : is === undefined ? "removed" : was === is ? "same" : "changed";
    return { path, kind, before: was ?? "", after: is ?? "" };
  });
  return [...changes.filter(({ kind }) => kind !== "same"), ...changes.filter(({ kind }) => kind === "same")];
}
