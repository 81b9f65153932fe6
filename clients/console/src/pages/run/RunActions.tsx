/** What can be done with a run: cancel it, run the same again, open its table, print the report. */
import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { packhouse } from "../../api/client";
import { commandLine } from "../../format/commands";
import { acknowledged } from "../../parts/Acknowledging";
import { ActionButton } from "../../parts/actions";
import { CopyAs } from "../../parts/CopyAs";
import { ButtonLink } from "../../parts/links";
import { scopeOptions } from "../table/run/request";
import { type RunDetail, requestOf } from "./runQueries";
import { operationName } from "../../api/operations";

export function RunActions({ run }: { run: RunDetail }) {
  return (
    <>
      {!run.is_terminal && run.cancel_requested_at === null && <Cancel run={run} />}
      {run.operation !== "purge" && run.table !== null && <RunAgain run={run} />}
      {run.table !== null && (
        <ButtonLink to="/tables/$tableId" params={{ tableId: run.table_id }} variant="default" size="xs">
          Open the table
        </ButtonLink>
      )}
      {run.is_terminal && (
        <Button variant="default" size="xs" onClick={() => globalThis.print()}>
          Print report
        </Button>
      )}
      <CopyAs request={{ method: "GET", path: `/v1/runs/${run.id}` }} cli={commandLine("packhouse", "runs", run.is_terminal ? "get" : "watch", run.id)} />
    </>
  );
}

function Cancel({ run }: { run: RunDetail }) {
  return (
    <ActionButton
      needs="operator"
      label="Cancel the run"
      title="Cancel this run?"
      description="File groups that are committed stay; the outputs of the others are removed. The table stays valid at every moment."
      danger
      size="xs"
      act={() => packhouse.post("/v1/runs/{run_id}/cancel", { params: { path: { run_id: run.id } } })}
      request={() => ({ method: "POST", path: `/v1/runs/${run.id}/cancel` })}
      cli={() => commandLine("packhouse", "runs", "cancel", run.id)}
      done="Cancel requested. The run ends when its worker has stopped."
    />
  );
}

function RunAgain({ run }: { run: RunDetail }) {
  const navigate = useNavigate();
  const body = requestOf(run);
  return (
    <ActionButton
      needs="operator"
      label="Run again"
      title="Submit the same run again?"
      description={againText(run)}
      size="xs"
      variant="default"
      act={async () => {
        const accepted = await acknowledged((acknowledge) => packhouse.submitRun(body, acknowledge), { verb: "Start" });
        void navigate({ to: "/runs/$runId", params: { runId: accepted.id } });
      }}
      request={() => ({ method: "POST", path: "/v1/runs", body })}
      cli={() =>
        commandLine(
          ...["packhouse", "runs", "submit", run.table ?? run.table_id, "--operation", run.operation, "--priority", run.priority],
          ...(body.operation === "rewrite" ? scopeOptions(body) : []),
        )
      }
      done="Submitted. The page shows the new run, or the equal one that was live already."
    />
  );
}

function againText(run: RunDetail): string {
  const what = `${operationName(run.operation)} of ${run.table ?? run.table_id} with the same request and the present policy.`;
  return run.request.operation === "rewrite" && run.request.only_due
    ? `${what} This run was automatic and took due partitions only; the new one takes all that are worth it.`
    : what;
}
