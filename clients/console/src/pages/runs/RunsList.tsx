/** The history of runs as rows, newest first, page by page. */
import { Button, Group, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { now } from "../../api/connection";
import { duration } from "../../format/times";
import { REFRESH } from "../../api/queries";
import { RunStateBadge } from "../../parts/badges";
import { PageLink } from "../../parts/links";
import { Problem } from "../../parts/Problem";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Empty, Waiting } from "../../parts/states";
import { Ago, Time } from "../../parts/Time";
import { usePages } from "../../parts/usePages";
import { operationName } from "../../api/operations";
import { type Filters, isFiltered } from "./filters";
import type { RunSummary } from "./gantt";
import { newestQuery, runsPage } from "./runsQueries";

const COLUMNS: readonly Column<RunSummary>[] = [
  { key: "created", title: "Submitted", width: "170px", cell: (run) => <Time at={run.created_at} /> },
  { key: "state", title: "State", width: "150px", cell: (run) => <RunStateBadge state={run.state} waitingFor={run.waiting_for} /> },
  { key: "run", title: "Run", width: "160px", cell: (run) => <RunLink run={run} /> },
  { key: "table", title: "Table", width: "260px", cell: (run) => <TableLink run={run} /> },
  { key: "time", title: "Time", width: "100px", align: "right", cell: (run) => timeOf(run) },
  { key: "by", title: "By", width: "140px", cell: (run) => <Cut text={run.requested_by} /> },
  { key: "detail", title: "Detail", cell: (run) => <Cut text={run.detail ?? "–"} /> },
];

export function Cut({ text }: { text: string }) {
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  );
}

function RunLink({ run }: { run: RunSummary }) {
  return (
    <PageLink to="/runs/$runId" params={{ runId: run.id }} size="sm" title={run.id}>
      {operationName(run.operation)}
    </PageLink>
  );
}

function TableLink({ run }: { run: RunSummary }) {
  if (run.table === null) return <Cut text={`${run.table_id} (not registered any more)`} />;
  return (
    <PageLink to="/tables/$tableId" params={{ tableId: run.table_id }} size="sm" className="cut" title={run.table}>
      {run.table}
    </PageLink>
  );
}

function timeOf(run: RunSummary): string {
  if (run.started_at === null) return "–";
  const end = run.finished_at === null ? now() : Date.parse(run.finished_at);
  return duration((end - Date.parse(run.started_at)) / 1000);
}

export function RunsList({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  const { query, items, more, isFetchingMore, hasMore, listKey } = usePages(["runs", "list", filters], runsPage(filters), { refetchMs: REFRESH.list });
  if (query.data === undefined) {
    return query.isError ? <Problem error={query.error} onRetry={() => void query.refetch()} /> : <Waiting height={600} label="Loading runs" />;
  }
  const lastPage = query.data.pages.at(-1) as Schemas["RunList"] | undefined;
  const retained = lastPage?.retained_since ?? null;
  return (
    <>
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Newer filters={filters} pages={query.data.pages.length} newest={items[0]?.id ?? null} />
      {items.length === 0 && !hasMore ? (
        <NoRuns isFiltered={isFiltered(filters)} onClear={onClear} />
      ) : (
        <RowsTable label="Runs" columns={COLUMNS} rows={items} rowKey={({ id }) => id} listKey={listKey} onMore={more} isFetchingMore={isFetchingMore} />
      )}
      {!hasMore && <Retained since={retained} />}
    </>
  );
}

/** With many pages shown the list is not asked for again; say when it has newer runs. */
function Newer({ filters, pages, newest }: { filters: Filters; pages: number; newest: string | null }) {
  const queries = useQueryClient();
  const { data } = useQuery(newestQuery(filters, pages > 3));
  if (pages <= 3 || data === undefined || data === null || data === newest) return null;
  return (
    <Group mb="xs" role="status">
      <Button size="xs" variant="default" onClick={() => void queries.resetQueries({ queryKey: ["runs", "list", filters] })}>
        There are newer runs: show them
      </Button>
    </Group>
  );
}

function NoRuns({ isFiltered: hasFilters, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (hasFilters) {
    return (
      <Empty title="No run fits these filters">
        Check the spelling of the table's address and of the team, choose a longer time, or start without filters.
        <br />
        <Button mt="xs" size="xs" variant="default" onClick={onClear}>
          Clear filters
        </Button>
      </Empty>
    );
  }
  return (
    <Empty title="No runs yet">
      Tables that are registered get runs when their policy makes them due. Submit one above, or{" "}
      <PageLink to="/tables">
        register a table
      </PageLink>
      .
    </Empty>
  );
}

function Retained({ since }: { since: string | null }) {
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {since === null ? (
        "End of the list: no run was removed so far."
      ) : (
        <>
          End of the list. Runs that ended before <Time at={since} /> (<Ago at={since} />) were removed, except the newest of each
          table.
        </>
      )}
    </Text>
  );
}
