/** Grants as rows of a form, and as commands that change one set of grants into another. */
import type { Schemas } from "../../../api/client";
import { commandLine } from "../../../format/commands";

type Grant = Schemas["Grant"];
export const RIGHTS = ["discover", "register", "read"] as const satisfies readonly Schemas["Right"][];
export interface GrantRow {
  readonly id: number;
  readonly team: string;
  /** Patterns, separated by commas or spaces. */
  readonly namespaces: string;
  readonly rights: readonly Schemas["Right"][];
}

let lastId = 0;
export const grantRow = (grant: Grant = { team: "", namespaces: ["*"], rights: ["discover", "register"] }): GrantRow => ({
  id: (lastId += 1),
  team: grant.team,
  namespaces: grant.namespaces.join(", "),
  rights: grant.rights,
});

const patternsOf = (text: string) => text.split(/[,\s]+/).filter((pattern) => pattern !== "");

export const grantsOf = (rows: readonly GrantRow[]): Grant[] =>
  rows.map(({ team, namespaces, rights }) => ({ team: team.trim(), namespaces: patternsOf(namespaces), rights: [...rights] }));

/** Return why the rows can't be sent; null when they can. */
export function problemOfGrants(rows: readonly GrantRow[]): string | null {
  if (rows.some(({ team }) => team.trim() === "")) return "A grant has no team: write its name, or * for every team.";
  if (rows.some(({ rights }) => rights.length === 0)) return "A grant has no right: choose one, or remove it.";
  if (rows.some(({ namespaces }) => patternsOf(namespaces).length === 0)) return "A grant has no namespace: write * for all.";
  return null;
}

const key = (grant: Grant) => JSON.stringify([grant.team, [...grant.namespaces].sort(), [...grant.rights].sort()]);

/** Return the commands of the CLI that replace `before` by `after`; null when nothing changes. */
export function grantCommands(catalog: string, before: readonly Grant[], after: readonly Grant[]): string | null {
  const [had, has] = [new Set(before.map(key)), new Set(after.map(key))];
  const namespaces = (grant: Grant) => grant.namespaces.flatMap((pattern) => ["--namespace", pattern]);
  const revoked = before.filter((grant) => !has.has(key(grant)));
  const granted = after.filter((grant) => !had.has(key(grant)));
  const commands = [
    ...revoked.map((grant) => commandLine("packhouse", "catalogs", "revoke", catalog, "--team", grant.team, namespaces(grant))),
    ...granted.map((grant) =>
      commandLine("packhouse", "catalogs", "grant", catalog, "--team", grant.team, namespaces(grant), grant.rights.flatMap((right) => ["--right", right])),
    ),
  ];
  return commands.length === 0 ? null : commands.join(" && ");
}
