/** Requests as commands for a terminal. Secrets are never part of them: the key is read from `PACKHOUSE_API_KEY`. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with its query, such as `/v1/runs?state=failed`. */
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Quote a text for a POSIX shell, so that it is one word whatever it contains. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Join words of a command line, each quoted where a shell needs it. */
export function commandLine(...words: readonly (string | readonly string[] | false | null | undefined)[]): string {
  return words
    .flat()
    .filter((word): word is string => typeof word === "string")
    .map(shellWord)
    .join(" ");
}

/** Return the curl command that sends a request to the server at `origin`. */
export function curl(request: ApiRequest, origin: string): string {
  const parts = ["curl -sS"];
  if (request.method !== "GET") parts.push(`-X ${request.method}`);
  parts.push(shellWord(origin + request.path), '-H "Authorization: Bearer $PACKHOUSE_API_KEY"');
  for (const [name, value] of Object.entries(request.headers ?? {})) parts.push(`-H ${shellWord(`${name}: ${value}`)}`);
  if (request.body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `-d ${shellWord(JSON.stringify(request.body))}`);
  }
  return parts.join(" ");
}
