/** Three versions of a policy, setting by setting: what both changed, and what merges without a question. */
import { isSame, readable } from "./canonical";
import type { PolicyValue } from "./document";
import { type Leaf, type Path, type SchemaNode, valueAt } from "./schema";

export interface SettingVersions {
  readonly leaf: Leaf;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

export interface ThreeWay {
  /** Changed by both, to different values: a person has to choose. */
  readonly conflicts: readonly SettingVersions[];
  /** Changed by them only: taken over. */
  readonly taken: readonly SettingVersions[];
  /** Changed by me only: kept. */
  readonly kept: readonly SettingVersions[];
  /** Changed by both in the same way. */
  readonly agreed: readonly SettingVersions[];
}

export type Choice = "theirs" | "mine";

/** Compare what two people made of the same version. */
export function threeWay(
  base: PolicyValue,
  theirs: PolicyValue,
  mine: PolicyValue,
  leaves: readonly Leaf[],
  root: SchemaNode,
): ThreeWay {
  const [conflicts, taken, kept, agreed]: [SettingVersions[], SettingVersions[], SettingVersions[], SettingVersions[]] = [[], [], [], []];
  for (const leaf of leaves) {
    const versions = { leaf, base: valueAt(base, leaf.path), theirs: valueAt(theirs, leaf.path), mine: valueAt(mine, leaf.path) };
    const isTheirs = !isSame(versions.base, versions.theirs, leaf, root);
    const isMine = !isSame(versions.base, versions.mine, leaf, root);
    if (isTheirs && isMine) (isSame(versions.theirs, versions.mine, leaf, root) ? agreed : conflicts).push(versions);
    else if (isTheirs) taken.push(versions);
    else if (isMine) kept.push(versions);
  }
  return { conflicts, taken, kept, agreed };
}

/** Return the settings to change in my document, so that it is the merge. */
export function mergeChanges(merge: ThreeWay, choices: Readonly<Record<string, Choice>>, root: SchemaNode): (readonly [Path, unknown])[] {
  const chosen = merge.conflicts.filter(({ leaf }) => choices[leaf.name] === "theirs");
  return [...merge.taken, ...chosen].map(({ leaf, theirs }) => [leaf.path, readable(theirs ?? undefined, leaf.node, root)] as const);
}

/** Apply a JSON merge patch (RFC 7396) to a value. */
export function mergePatch(value: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  const result = new Map<string, unknown>(isObject ? Object.entries(value) : []);
  for (const [name, inner] of Object.entries(patch)) {
    if (inner === null) result.delete(name);
    else result.set(name, mergePatch(result.get(name), inner));
  }
  return Object.fromEntries(result);
}
