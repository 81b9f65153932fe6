/** The writes of the policy pages as requests and as commands of `packhouse policy`. */
import { type ApiRequest, commandLine } from "../../../format/commands";

export interface CommandTarget {
  /** Path of the policy below the API, such as `/v1/tables/tbl_1/policy`. */
  readonly path: string;
  /** The word that names it for `packhouse policy`. */
  readonly word: string;
  /** Options that name the scope of a policy that does not exist yet. */
  readonly scope: readonly string[];
}

const query = (message: string) => (message === "" ? "" : `?message=${encodeURIComponent(message)}`);
const noted = (message: string): string[] => (message === "" ? [] : ["-m", message]);

/** Return the condition of a write: the version that was read, or that there is none. */
export function condition(etag: string | null): Record<string, string> {
  return etag === null ? { "If-None-Match": "*" } : { "If-Match": etag };
}

/** Return the request that replaces a policy. */
export function putRequest(target: CommandTarget, policy: unknown, etag: string | null, message: string): ApiRequest {
  return { method: "PUT", path: target.path + query(message), headers: condition(etag), body: policy };
}

/** Return the command that replaces a policy by the text of the editor, as a here-document. */
export function applyCommand(target: CommandTarget, yaml: string, message: string): string {
  const text = yaml.trim() === "" ? "{}\n" : yaml.endsWith("\n") ? yaml : `${yaml}\n`;
  let end = "POLICY";
  while (text.split("\n").includes(end)) end += "_";
  const command = commandLine("packhouse", "policy", "apply", target.word, ...target.scope, "-f", "-", ...noted(message));
  return `${command} <<'${end}'\n${text}${end}`;
}

/** Return the command that changes single settings; undefined values are inherited again. */
export function setCommand(target: CommandTarget, changes: readonly (readonly [string, unknown])[], message: string): string {
  const words = changes.flatMap(([name, value]) =>
    value === undefined ? ["--unset", name] : ["--set", `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`],
  );
  return commandLine("packhouse", "policy", "set", target.word, ...target.scope, ...words, ...noted(message));
}
