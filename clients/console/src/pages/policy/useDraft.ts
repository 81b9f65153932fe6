/** The unsaved document of the editor: its text, the version it is a change of, and how they differ. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useState } from "react";
import { whoamiQuery } from "../../api/queries";
import { sessions } from "../../api/session";
import { differing, readable } from "./logic/canonical";
import { check, type Flaw } from "./logic/check";
import { parsePolicy, type Parsed, policyText, type PolicyValue, withSettings } from "./logic/document";
import { mergePatch } from "./logic/merge";
import { type Leaf, leavesOf, type Path, type SchemaNode, valueAt } from "./logic/schema";
import type { PolicyTarget, Stored } from "./policyTarget";

/** Drafts of this tab, which survive a new sign-in of the same person; never stored. */
const kept = new Map<string, { text: string; base: Stored | null; at: number }>();

export interface Draft {
  readonly root: SchemaNode;
  readonly leaves: readonly Leaf[];
  /** The version that the draft is a change of; null: there was none. */
  readonly base: Stored | null;
  readonly text: string;
  readonly parsed: Parsed;
  /** The last policy that could be read from the text. */
  readonly value: PolicyValue;
  readonly flaws: readonly Flaw[];
  /** Settings that differ from the base. */
  readonly changed: readonly Leaf[];
  readonly isDirty: boolean;
  setText(text: string): void;
  /** Change settings; undefined values are inherited again. */
  change(...changes: readonly (readonly [Path, unknown])[]): void;
  /** When the draft got its base, in ms; answers from before are older than the base. */
  readonly at: number;
  /** Continue from a stored version, with this text or with its own. */
  rebase(stored: Stored | null, text?: string): void;
}

/** Return the draft of a target, which begins with its stored version and the changes of a merge patch. */
export function useDraft(target: PolicyTarget, first: Stored | null, patch: unknown, root: SchemaNode): Draft {
  const { data: person } = useQuery(whoamiQuery);
  const key = `${person?.subject ?? ""} ${target.id}`;
  const [state, setState] = useState(() => kept.get(key) ?? { base: first, text: firstText(first, patch, root), at: 0 });
  const leaves = useMemo(() => leavesOf(root), [root]);
  const parsed = useMemo(() => parsePolicy(state.text), [state.text]);
  const [value, setValue] = useState<PolicyValue>(() => parsed.value ?? first?.policy ?? {});
  if (parsed.value !== null && parsed.value !== value) setValue(parsed.value);
  const flaws = useMemo(() => (parsed.value === null ? [] : check(parsed.value, root)), [parsed, root]);
  const changed = useMemo(() => differing(state.base?.policy ?? {}, value, leaves, root), [state.base, value, leaves, root]);
  const isUnknown = flaws.some(({ isName }) => isName);
  const isDirty = changed.length > 0 || parsed.fault !== null || isUnknown;
  useEffect(() => {
    if (isDirty) kept.set(key, state);
    else kept.delete(key);
  }, [key, isDirty, state]);
  useEffect(() => () => forget(key), [key]);
  const setText = useCallback((text: string) => setState((before) => ({ ...before, text })), []);
  const change = useCallback(
    (...changes: readonly (readonly [Path, unknown])[]) => setState((before) => ({ ...before, text: withSettings(before.text, changes) })),
    [],
  );
  const queries = useQueryClient();
  const rebase = useCallback(
    (stored: Stored | null, text?: string) => {
      const at = Date.now();
      void queries.cancelQueries({ queryKey: ["policy", target.id] });
      queries.setQueryData(["policy", target.id], stored);
      setState({ base: stored, text: text ?? policyText(stored?.policy, root), at });
    },
    [queries, target.id, root],
  );
  return { root, leaves, base: state.base, text: state.text, parsed, value, flaws, changed, isDirty, at: state.at, setText, change, rebase };
}

/** Forget a draft when its page is left, except when the session ended under it: the person continues after a sign-in. */
function forget(key: string): void {
  const { session, ended } = sessions.get();
  if (session !== null || ended === null) kept.delete(key);
}

function firstText(first: Stored | null, patch: unknown, root: SchemaNode): string {
  const text = policyText(first?.policy, root);
  return patch === undefined ? text : patched(text, patch, root);
}

/** Apply a JSON merge patch to a text, setting by setting, so that comments stay. */
export function patched(text: string, patch: unknown, root: SchemaNode): string {
  const before = parsePolicy(text).value ?? {};
  const after = mergePatch(before, patch);
  const changes = differing(before, after, leavesOf(root), root).map(({ path, node }) => [path, readable(valueAt(after, path) ?? undefined, node, root)] as const);
  return withSettings(text, changes);
}

/** Read `?apply=` of the address: a JSON merge patch, or undefined, or the error that it has. */
export function readPatch(text: string): { patch?: unknown; error?: string } {
  if (text === "") return {};
  try {
    const patch: unknown = JSON.parse(text);
    if (patch !== null && typeof patch === "object" && !Array.isArray(patch)) return { patch };
    return { error: "The changes in the address are not a JSON object." };
  } catch {
    return { error: "The changes in the address are not JSON." };
  }
}
