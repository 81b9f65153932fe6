/** Buttons that end a deletion before it starts or stop it at work, and that acknowledge one that waits for it. */
import { packhouse } from "../../api/client";
import { commandLine } from "../../format/commands";
import { ActionButton } from "../../parts/actions";
import { operationName } from "../../api/operations";
import { askedText, type Deletion, isAnnounced, tableOf, undoText } from "./deletions";

export function UndoButton({ deletion }: { deletion: Deletion }) {
  const path = { run_id: deletion.id };
  const label = isAnnounced(deletion) ? "Undo" : "Stop";
  return (
    <ActionButton
      needs="owner"
      label={label}
      title={`${label}: ${operationName(deletion.operation).toLowerCase()} of ${tableOf(deletion)}?`}
      description={undoText(deletion)}
      variant="default"
      size="xs"
      act={() => packhouse.post("/v1/deletions/{run_id}/undo", { params: { path } })}
      request={() => ({ method: "POST", path: `/v1/deletions/${deletion.id}/undo` })}
      cli={() => commandLine("packhouse", "deletions", "undo", deletion.id)}
      done={isAnnounced(deletion) ? "Undone: nothing was deleted." : "Stopping: what it has deleted so far is in its list of files."}
    />
  );
}

export function AcknowledgeButton({ deletion }: { deletion: Deletion }) {
  const { id, acknowledgement } = deletion;
  if (acknowledgement === null) return null;
  return (
    <ActionButton
      needs="owner"
      label="Acknowledge…"
      title={`Let it delete: ${operationName(deletion.operation).toLowerCase()} of ${tableOf(deletion)}?`}
      description={`${askedText(acknowledgement)} What it deletes can't be brought back.`}
      typed={tableOf(deletion)}
      danger
      size="xs"
      act={() => packhouse.post("/v1/deletions/{run_id}/acknowledge", { params: { path: { run_id: id } } })}
      request={() => ({ method: "POST", path: `/v1/deletions/${id}/acknowledge` })}
      cli={() => commandLine("packhouse", "deletions", "acknowledge", id)}
      done="Acknowledged: it deletes this now."
    />
  );
}
