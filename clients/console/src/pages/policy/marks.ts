/** Everything that is wrong with the draft, with its place in the text: found here while typing, or by the server. */
import { InvalidInputError } from "@packhouse/client";
import { type Parsed, pointerPath, type Range, rangeOf } from "./logic/document";
import type { Flaw } from "./logic/check";

export interface Mark {
  /** Dotted name of the setting; empty for the text itself. */
  readonly name: string;
  readonly message: string;
  readonly hint: string | null;
  readonly range: Range;
  readonly severity: "error" | "warning";
}

/** Where the body of a preview has the policy. */
const FIELD = "/policy";

/** Return the marks of a draft. An error of the server at a place that has one already is left out. */
export function marksOf(parsed: Parsed, flaws: readonly Flaw[], refusal: unknown): Mark[] {
  if (parsed.fault !== null) {
    const { message, range } = parsed.fault;
    return [{ name: "", message, hint: null, range: within(range, parsed.text), severity: "error" }];
  }
  const own = flaws.map(({ path, message, hint, isName }): Mark => {
    return { name: path.join("."), message, hint, range: rangeOf(parsed, path, isName ? "name" : "value"), severity: "error" };
  });
  const taken = new Set(own.map(({ name }) => name));
  const asked = refusal instanceof InvalidInputError ? refusal.errors : [];
  const theirs = asked.flatMap(({ pointer, message, hint }): Mark[] => {
    const path = pointerPath(pointer.startsWith(FIELD) ? pointer.slice(FIELD.length) : pointer);
    const name = path.join(".");
    return taken.has(name) ? [] : [{ name, message, hint: hint ?? null, range: rangeOf(parsed, path), severity: "error" }];
  });
  return [...own, ...theirs];
}

function within([from, to]: Range, text: string): Range {
  const end = Math.min(Math.max(to, from + 1), text.length);
  return [Math.min(from, end), end];
}
