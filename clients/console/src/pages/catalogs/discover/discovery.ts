/** A discovery: its request from the page's fields, and its outcomes in words. */
import type { Schemas } from "../../../api/client";

export type Outcome = Schemas["DiscoveryOutcome"];

export const OUTCOMES: Readonly<Record<Outcome, { text: string; tone: "good" | "bad" | "busy" | "quiet" | "waiting" }>> = {
  already_registered: { text: "registered before", tone: "quiet" },
  registrable: { text: "can be registered", tone: "busy" },
  registered: { text: "registered now", tone: "good" },
  would_register: { text: "would be registered", tone: "busy" },
  refused: { text: "refused", tone: "bad" },
  not_tried: { text: "not tried", tone: "waiting" },
};

/** Tables that one request registers. */
export const MOST_REGISTERED = 200;

export interface DiscoverFields {
  readonly pattern: string;
  readonly team: string;
  /** `key:value` pairs, separated by commas or lines. */
  readonly labels: string;
  readonly paused: string;
}

/** Return labels of a text such as `tier:gold, domain:sales`; null when a part has no value. */
export function labelsOf(text: string): Record<string, string> | null {
  const parts = text.split(/[,\n]/).map((part) => part.trim()).filter((part) => part !== "");
  const pairs = parts.map((part) => [part.slice(0, Math.max(0, part.indexOf(":"))).trim(), part.slice(part.indexOf(":") + 1).trim()] as const);
  return pairs.every(([name, value]) => name !== "" && value !== "") ? Object.fromEntries(pairs) : null;
}

/** Return the pattern of the tables to list. */
export const patternOf = (fields: DiscoverFields) => fields.pattern.trim() || "*";

/** Return the request that registers tables, and of its preview. */
export function registrationOf(fields: DiscoverFields): Schemas["RegistrationRequest"] {
  return {
    pattern: patternOf(fields),
    owner_team: fields.team.trim() || null,
    labels: labelsOf(fields.labels) ?? {},
    limit: MOST_REGISTERED,
    paused: fields.paused === "yes",
  };
}
