/** The two kinds of stored policies, a table's own and one of a wider scope, behind one interface for the editor. */
import { NotFoundError } from "@packhouse/client";
import { packhouse, type Schemas } from "../../api/client";
import { tableAddress } from "../../format/addresses";
import type { ApiRequest } from "../../format/commands";
import { acknowledged } from "../../parts/Acknowledging";
import { type CommandTarget, condition, putRequest } from "./logic/commands";
import type { PolicyValue } from "./logic/document";
import { originOf, type Scope, scopeOptions } from "./logic/scopes";

export type Preview = Schemas["PolicyPreview"];
export type PolicyVersion = Schemas["PolicyVersion"];
type TablePolicyChange = Schemas["PolicyReplacement"] | Schemas["PolicyRestoration"] | Schemas["PolicyDeletion"];
type PolicyChange = TablePolicyChange | Schemas["PolicyCreation"];

export interface Stored {
  readonly policy: PolicyValue;
  /** ETag of this version. */
  readonly etag: string;
  readonly version: number;
  readonly updatedAt: string;
  readonly updatedBy: string;
  readonly message: string | null;
  readonly notes: readonly string[];
  /** Scope of a policy of more than one table. */
  readonly scope: Scope | null;
}

export interface PolicyTarget extends CommandTarget {
  /** Identity in the cache of answers. */
  readonly id: string;
  readonly title: string;
  /** Origin that its settings have in the effective policy of a table. */
  readonly origin: string;
  /** Team whose owners may write it; null: only admins may. */
  readonly team: string | null;
  /** Return the stored policy; null if there is none. */
  read(signal: AbortSignal): Promise<Stored | null>;
  preview(policy: PolicyValue, isNew: boolean, signal?: AbortSignal): Promise<Preview>;
  save(policy: PolicyValue, etag: string | null, message: string): Promise<Stored>;
  saveRequest(policy: PolicyValue, etag: string | null, message: string): ApiRequest;
  previewDelete(signal?: AbortSignal): Promise<Preview>;
  remove(etag: string, message: string): Promise<void>;
  versions(token: string | undefined, signal: AbortSignal): Promise<Schemas["PolicyVersionList"]>;
  previewRestore(version: number, signal?: AbortSignal): Promise<Preview>;
  restore(version: number, etag: string | null, message: string): Promise<Stored>;
}

type Answered = Schemas["TablePolicy"] | Schemas["ScopedPolicy"];

function stored(data: unknown, response: Response): Stored {
  const answer = data as Answered;
  return {
    policy: answer.policy as PolicyValue,
    etag: response.headers.get("etag") ?? `"${answer.version}"`,
    version: answer.version,
    updatedAt: answer.updated_at,
    updatedBy: answer.updated_by,
    message: answer.message,
    notes: answer.notes,
    scope: "scope" in answer ? answer.scope : null,
  };
}

async function orNull(answer: Promise<{ data?: unknown; response: Response }>): Promise<Stored | null> {
  try {
    const { data, response } = await answer;
    return stored(data, response);
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

const noted = (message: string, acknowledge?: string) => ({ ...(message === "" ? {} : { message }), ...(acknowledge === undefined ? {} : { acknowledge }) });
const header = (etag: string | null) => (etag === null ? { "if-none-match": "*" } : { "if-match": etag });
const given = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { signal });
const page = (token: string | undefined) => ({ page_size: 50, ...(token === undefined ? {} : { page_token: token }) });

/** The own policy of a table. */
export function tableTarget(table: Schemas["Table"]): PolicyTarget {
  const at = { table_id: table.id };
  const { http } = packhouse;
  const address = tableAddress(table);
  const preview = (body: TablePolicyChange, signal?: AbortSignal) =>
    packhouse.post("/v1/tables/{table_id}/policy/preview", { params: { path: at }, body, ...given(signal) });
  const target = { path: `/v1/tables/${table.id}/policy`, word: address.includes("/") ? table.id : address, scope: [] };
  return {
    ...target,
    id: table.id,
    title: address,
    origin: "table",
    team: table.owner_team,
    read: async (signal) => {
      const { items } = await packhouse.get("/v1/tables/{table_id}/policy/versions", { params: { path: at, query: { page_size: 1 } }, signal });
      if (items[0] === undefined || items[0].is_deletion) return null; // asked first, since browsers report each 404 as an error
      return orNull(http.GET("/v1/tables/{table_id}/policy", { params: { path: at }, signal }));
    },
    preview: (policy, _, signal) => preview({ change: "replace", policy: policy as never }, signal),
    save: (policy, etag, message) =>
      acknowledged(async (acknowledge) => {
        const params = { path: at, query: noted(message, acknowledge), header: header(etag) };
        const { data, response } = await http.PUT("/v1/tables/{table_id}/policy", { params, body: policy as never });
        return stored(data, response);
      }),
    saveRequest: (policy, etag, message) => putRequest(target, policy, etag, message),
    previewDelete: (signal) => preview({ change: "delete" }, signal),
    remove: (etag, message) =>
      acknowledged(async (acknowledge) => {
        await packhouse.delete("/v1/tables/{table_id}/policy", { params: { path: at, query: noted(message, acknowledge), header: { "if-match": etag } } });
      }),
    versions: (token, signal) => packhouse.get("/v1/tables/{table_id}/policy/versions", { params: { path: at, query: page(token) }, signal }),
    previewRestore: (version, signal) => preview({ change: "restore", version }, signal),
    restore: (version, etag, message) =>
      acknowledged(async (acknowledge) => {
        const params = { path: at, query: noted(message, acknowledge), header: header(etag) };
        const { data, response } = await http.POST("/v1/tables/{table_id}/policy/restore", { params, body: { version } });
        return stored(data, response);
      }),
  };
}

/** The policy of a wider scope. `scope` is null as long as it is not known. */
export function scopedTarget(name: string, scope: Scope | null): PolicyTarget {
  const at = { name };
  const { http } = packhouse;
  let isKnown = false;
  const created = (policy: PolicyValue) => ({ name, scope: scope!, policy: policy as never });
  const preview = (body: PolicyChange, signal?: AbortSignal) => packhouse.post("/v1/policies/{name}/preview", { params: { path: at }, body, ...given(signal) });
  const target = { path: `/v1/policies/${encodeURIComponent(name)}`, word: name, scope: [] as string[] };
  return {
    ...target,
    scope: scope === null ? [] : scopeOptions(scope),
    id: `policy ${name}`,
    title: name,
    origin: scope === null ? "" : originOf(scope, name),
    team: scope?.kind === "team" ? scope.team : null,
    read: async (signal) => {
      if (!isKnown) {
        const found = await packhouse.get("/v1/policies", { params: { query: { page_size: 500 } }, signal });
        isKnown = found.items.some((each) => each.name === name);
        if (!isKnown && found.next_page_token === null) return null; // asked first, since browsers report each 404 as an error
      }
      const present = await orNull(http.GET("/v1/policies/{name}", { params: { path: at }, signal }));
      isKnown = present !== null;
      return present;
    },
    preview: (policy, isNew, signal) =>
      preview(isNew ? { change: "create", scope: scope!, policy: policy as never } : { change: "replace", policy: policy as never }, signal),
    save: (policy, etag, message) =>
      acknowledged(async (acknowledge) => {
        const query = noted(message, acknowledge);
        const { data, response } =
          etag === null
            ? await http.POST("/v1/policies", { params: { query }, body: created(policy) })
            : await http.PUT("/v1/policies/{name}", { params: { path: at, query, header: { "if-match": etag } }, body: policy as never });
        return stored(data, response);
      }),
    saveRequest: (policy, etag, message) => {
      if (etag !== null) return putRequest(target, policy, etag, message);
      const query = message === "" ? "" : `?message=${encodeURIComponent(message)}`;
      return { method: "POST", path: `/v1/policies${query}`, body: created(policy) };
    },
    previewDelete: (signal) => preview({ change: "delete" }, signal),
    remove: (etag, message) =>
      acknowledged(async (acknowledge) => {
        await packhouse.delete("/v1/policies/{name}", { params: { path: at, query: noted(message, acknowledge), header: { "if-match": etag } } });
      }),
    versions: (token, signal) => packhouse.get("/v1/policies/{name}/versions", { params: { path: at, query: page(token) }, signal }),
    previewRestore: (version, signal) => preview({ change: "restore", version }, signal),
    restore: (version, etag, message) =>
      acknowledged(async (acknowledge) => {
        const params = { path: at, query: noted(message, acknowledge), header: header(etag) };
        const { data, response } = await http.POST("/v1/policies/{name}/restore", { params, body: { version } });
        return stored(data, response);
      }),
  };
}

/** Return the request that deletes a policy. */
export function deleteRequest(target: PolicyTarget, etag: string, message: string): ApiRequest {
  return { method: "DELETE", path: target.path + (message === "" ? "" : `?message=${encodeURIComponent(message)}`), headers: { "If-Match": etag } };
}

/** Return the request that restores a version. */
export function restoreRequest(target: PolicyTarget, version: number, etag: string | null, message: string): ApiRequest {
  const query = message === "" ? "" : `?message=${encodeURIComponent(message)}`;
  return { method: "POST", path: `${target.path}/restore${query}`, headers: condition(etag), body: { version } };
}

/** Return what a person is called by whose role may write the policy. */
export function writersOf(target: PolicyTarget): string {
  return target.team === null ? "Only admins may change it." : `Owners of the team ${target.team}, and admins, may change it.`;
}
