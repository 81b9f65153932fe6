/** Buttons that pause, resume and unfreeze a table. */
import { packhouse } from "../../../api/client";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { ActionButton } from "../../../parts/actions";
import type { Table } from "../tableQueries";

export function PauseActions({ table }: { table: Table }) {
  const params = { path: { table_id: table.id } };
  const path = `/v1/tables/${encodeURIComponent(table.id)}`;
  const address = tableAddress(table);
  return (
    <>
      {table.freeze !== null && (
        <ActionButton
          needs="owner"
          label="Unfreeze"
          title="Unfreeze this table?"
          description="A proof of a snapshot failed, and it could not be rolled back. Inspect the snapshots named on this page first; runs start again afterwards."
          asks="reason"
          danger
          size="xs"
          act={({ reason }) => packhouse.post("/v1/tables/{table_id}/unfreeze", { params, body: { reason } })}
          request={({ reason }) => ({ method: "POST", path: `${path}/unfreeze`, body: { reason } })}
          cli={({ reason }) => commandLine("packhouse", "tables", "unfreeze", address, "--reason", reason)}
          done="The table is no longer frozen."
        />
      )}
      {table.pause === null ? (
        <ActionButton
          needs="operator"
          label="Pause"
          title="Pause this table?"
          description="No run of it starts until it is resumed. Work in flight finishes its file groups and is committed."
          asks="reason"
          extra="Stop work in flight now; what is written is committed"
          variant="default"
          size="xs"
          act={({ reason, confirmed }) =>
            packhouse.post("/v1/tables/{table_id}/pause", { params, body: { reason, mode: confirmed ? "stop" : "drain" } })
          }
          request={({ reason, confirmed }) => ({ method: "POST", path: `${path}/pause`, body: { reason, mode: confirmed ? "stop" : "drain" } })}
          cli={({ reason, confirmed }) => commandLine("packhouse", "tables", "pause", address, "--reason", reason, confirmed && "--stop")}
          done="The table is paused."
        />
      ) : (
        <ResumeButton table={table} />
      )}
    </>
  );
}

/** Ends the pause, the rest after runs without effect, the grace of a new table and the cool-down of partitions. */
export function ResumeButton({ table, label = "Resume" }: { table: Table; label?: string }) {
  const path = `/v1/tables/${encodeURIComponent(table.id)}/resume`;
  return (
    <ActionButton
      needs="operator"
      label={label}
      title="Resume this table?"
      description="Ends its pause, its waiting time as a new table, its rest after runs without effect and the cool-down of its partitions. Waiting runs continue with the file groups that were committed."
      variant="default"
      size="xs"
      act={() => packhouse.post("/v1/tables/{table_id}/resume", { params: { path: { table_id: table.id } } })}
      request={() => ({ method: "POST", path })}
      cli={() => commandLine("packhouse", "tables", "resume", tableAddress(table))}
      done="The table is resumed."
    />
  );
}
