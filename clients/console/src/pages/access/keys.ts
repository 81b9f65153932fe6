/** States of API keys, and their list. */
import { packhouse, type Schemas } from "../../api/client";

export type Key = Schemas["Key"];
export type KeyState = "valid" | "expired" | "revoked";

export const fetchKeys = (token: string | undefined, signal: AbortSignal) =>
  packhouse.get("/v1/keys", { params: { query: { page_size: 200, ...(token === undefined ? {} : { page_token: token }) } }, signal });

/** Return a key's state at an instant in ms; a revoked key stays revoked when it expires. */
export function stateOf(key: Key, nowMs: number): KeyState {
  if (key.revoked_at !== null) return "revoked";
  return key.expires_at !== null && Date.parse(key.expires_at) <= nowMs ? "expired" : "valid";
}

/** Return team names of a text, separated by commas; null, which is every team, for none. */
export function teamsOf(text: string): string[] | null {
  const teams = text.split(",").map((team) => team.trim()).filter((team) => team !== "");
  return teams.length === 0 ? null : teams;
}
