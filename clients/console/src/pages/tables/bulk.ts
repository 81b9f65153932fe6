/** Actions on many selected tables: the request and the command of each. */
import { packhouse } from "../../api/client";
import { type ApiRequest, commandLine } from "../../format/commands";
import type { FleetTable } from "./tablesQueries";

export type BulkForm =
  | { readonly kind: "label"; readonly key: string; readonly value: string; readonly removes: boolean }
  | { readonly kind: "pause"; readonly reason: string; readonly stops: boolean }
  | { readonly kind: "resume" };

/** Return whether everything that the action needs is given. */
export function isComplete(form: BulkForm): boolean {
  if (form.kind === "label") return form.key.trim() !== "" && !form.key.includes(":");
  return form.kind === "resume" || form.reason.trim() !== "";
}

const pauseOf = (form: { reason: string; stops: boolean }) =>
  ({ reason: form.reason.trim(), mode: form.stops ? "stop" : "drain" }) as const;
const labelsOf = (form: { key: string; value: string; removes: boolean }) => ({
  labels: { [form.key.trim()]: form.removes ? null : form.value.trim() },
});

export function requestOf(form: BulkForm, tableId: string): ApiRequest {
  const path = `/v1/tables/${encodeURIComponent(tableId)}`;
  if (form.kind === "label") return { method: "PATCH", path, body: labelsOf(form) };
  if (form.kind === "pause") return { method: "POST", path: `${path}/pause`, body: pauseOf(form) };
  return { method: "POST", path: `${path}/resume` };
}

/** Return the command for one table. */
export function commandOfBulk(form: BulkForm, table: string): string {
  if (form.kind === "label") {
    const label = form.removes ? ["--no-label", form.key.trim()] : ["--label", `${form.key.trim()}=${form.value.trim()}`];
    return commandLine(["packhouse", "tables", "update", table], label);
  }
  if (form.kind === "pause") {
    return commandLine(["packhouse", "tables", "pause", table, "--reason", form.reason.trim()], form.stops && "--stop");
  }
  return commandLine(["packhouse", "tables", "resume", table]);
}

/** Carry the action out on one table. A label changes alone: other labels stay as they are in the meantime. */
export async function act(form: BulkForm, table: FleetTable): Promise<unknown> {
  const params = { path: { table_id: table.table_id } };
  if (form.kind === "label") return packhouse.patch("/v1/tables/{table_id}", { params, body: labelsOf(form) });
  if (form.kind === "pause") return packhouse.post("/v1/tables/{table_id}/pause", { params, body: pauseOf(form) });
  return packhouse.post("/v1/tables/{table_id}/resume", { params });
}
