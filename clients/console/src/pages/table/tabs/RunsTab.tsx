/** Runs of the table, newest first. */
import { Text } from "@mantine/core";
import { packhouse, type Schemas } from "../../../api/client";
import { REFRESH } from "../../../api/queries";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { duration } from "../../../format/times";
import { RunStateBadge } from "../../../parts/badges";
import { CopyAs } from "../../../parts/CopyAs";
import { ButtonLink, RunLink } from "../../../parts/links";
import { Problem } from "../../../parts/Problem";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Empty, Section, Waiting } from "../../../parts/states";
import { Ago } from "../../../parts/Time";
import { usePages } from "../../../parts/usePages";
import type { Table } from "../tableQueries";

type RunRow = Schemas["RunSummary"];

const seconds = (run: RunRow) => (run.started_at === null || run.finished_at === null ? null : (Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000);

const COLUMNS: readonly Column<RunRow>[] = [
  { key: "run", title: "Run", width: "210px", cell: (run) => <RunLink runId={run.id}>{run.operation.replaceAll("_", " ")}</RunLink> },
  { key: "state", title: "State", width: "150px", cell: (run) => <RunStateBadge state={run.state} waitingFor={run.waiting_for} /> },
  { key: "detail", title: "Result", cell: (run) => <span className="cut" title={run.detail ?? ""}>{run.detail ?? "–"}</span> },
  { key: "by", title: "Requested by", width: "150px", cell: (run) => <span className="cut" title={run.requested_by}>{run.requested_by}</span> },
  { key: "at", title: "Submitted", width: "130px", cell: (run) => <Ago at={run.created_at} /> },
  { key: "took", title: "Took", width: "110px", align: "right", cell: (run) => duration(seconds(run)) },
];

export function RunsTab({ table }: { table: Table }) {
  const { query, items, more, isFetchingMore } = usePages<RunRow>(
    ["table", table.id, "runs"],
    (token, signal) =>
      packhouse.get("/v1/runs", { params: { query: { table_id: [table.id], page_size: 100, ...(token === undefined ? {} : { page_token: token }) } as never }, signal }),
    { refetchMs: REFRESH.live },
  );
  if (query.data === undefined) return query.isError ? <Problem error={query.error} onRetry={() => void query.refetch()} /> : <Waiting height={400} label="Loading runs" />;
  return (
    <Section
      title="Runs"
      aside={
        <>
          <CopyAs
            request={{ method: "GET", path: `/v1/runs?table_id=${encodeURIComponent(table.id)}` }}
            cli={commandLine("packhouse", "runs", "list", "--table", tableAddress(table))}
          />
          <ButtonLink size="xs" variant="default" to="/runs" search={{ table: tableAddress(table) }}>
            Open in runs, with filters
          </ButtonLink>
        </>
      }
    >
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {items.length === 0 ? (
        <Empty title="No run yet">
          <Text>A run starts automatically once a rule makes the table due and nothing holds it back: see Explain. Or start one with Run.</Text>
        </Empty>
      ) : (
        <RowsTable label="List of runs" columns={COLUMNS} rows={items} rowKey={(run) => run.id} onMore={more} isFetchingMore={isFetchingMore} height="60vh" />
      )}
    </Section>
  );
}
