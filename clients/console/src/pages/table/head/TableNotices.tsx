/** What stops the table now, above everything: freeze, pause, unreachable, what holds it back, a run at work. */
import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { RunStateBadge } from "../../../parts/badges";
import { RunLink } from "../../../parts/links";
import { Ago, Time } from "../../../parts/Time";
import { DeletionsNotice } from "../../deletions/DeletionsNotice";
import { holdWords } from "../../tables/filters";
import { stateQuery, type Table } from "../tableQueries";
import { ResumeButton } from "./PauseActions";

const LIVE = new Set(["queued", "planning", "rewriting", "committing"]);

export function TableNotices({ table }: { table: Table }) {
  const { data: state } = useQuery(stateQuery(table));
  const run = state?.last_run ?? null;
  return (
    <>
      {table.freeze !== null && (
        <Notice color="red" title="Frozen: no run starts">
          <Text size="sm" className="wrap-anywhere">
            {table.freeze.reason}
          </Text>
          <Text size="sm" className="wrap-anywhere">
            Snapshot {table.freeze.snapshot_id} of run <RunLink runId={table.freeze.run_id}>{table.freeze.run_id}</RunLink> failed its proof{" "}
            <Ago at={table.freeze.frozen_at} />; {table.freeze.parent_snapshot_id === null ? "its parent had expired" : `its parent ${table.freeze.parent_snapshot_id} is kept by a tag`}.
            Inspect both, then unfreeze the table.
          </Text>
        </Notice>
      )}
      {table.pause !== null && (
        <Notice color="yellow" title="Paused: no run starts until it is resumed">
          <Text size="sm" className="wrap-anywhere">
            {table.pause.reason} ({table.pause.paused_by}, <Time at={table.pause.paused_at} />)
          </Text>
        </Notice>
      )}
      {state?.verdict === "unreachable" && (
        <Notice color="red" title="The table could not be read at its last look">
          <Text size="sm" className="wrap-anywhere">
            {state.detail} The next look is <Ago at={state.next_look_at} />.
          </Text>
        </Notice>
      )}
      {state?.verdict === "held" && state.hold !== null && state.hold !== "table_paused" && state.hold !== "run_at_work" && (
        <Notice color="yellow" title={`Held back: ${holdWords(state.hold)}`}>
          <Text size="sm" className="wrap-anywhere">
            {state.detail}
          </Text>
          {(state.hold === "new_table" || state.hold === "runs_in_vain" || state.hold === "conflict_backoff") && (
            <ResumeButton table={table} label="End the wait" />
          )}
        </Notice>
      )}
      <DeletionsNotice table={table.id} />
      {run !== null && LIVE.has(run.state) && run.reason !== "grace" && (
        <Notice color="blue" title="A run is live">
          <Text size="sm" component="div">
            <RunLink runId={run.id}>{run.operation.replaceAll("_", " ")}</RunLink> <RunStateBadge state={run.state} waitingFor={run.reason} />, submitted{" "}
            <Ago at={run.created_at} />
          </Text>
        </Notice>
      )}
    </>
  );
}

function Notice({ color, title, children }: { color: string; title: string; children: ReactNode }) {
  return (
    <Alert color={color} variant="outline" title={title} mb="sm" role="status">
      {children}
    </Alert>
  );
}
