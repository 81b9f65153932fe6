/** One table: what it is, how its files are, why it is or is not rewritten, and what can be done. */
import { Tabs } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { isNotFound } from "../../api/problems";
import { REFRESH, tableQuery, useRole } from "../../api/queries";
import { tableAddress } from "../../format/addresses";
import { PageLink } from "../../parts/links";
import { Problem } from "../../parts/Problem";
import { PageHead, Waiting } from "../../parts/states";
import { useUrlState } from "../../parts/useUrlState";
import { ExplainTab } from "./explain/ExplainTab";
import { TableHead } from "./head/TableHead";
import { TableNotices } from "./head/TableNotices";
import { OverviewTab } from "./overview/OverviewTab";
import { RunDialog } from "./run/RunDialog";
import "./table.css";
import { stateQuery, type Table } from "./tableQueries";
import { AdviceTab } from "./tabs/AdviceTab";
import { PartitionsTab } from "./tabs/PartitionsTab";
import { RunsTab } from "./tabs/RunsTab";
import { SnapshotsTab } from "./tabs/SnapshotsTab";
import { UpkeepTab } from "./tabs/UpkeepTab";
import { TABLE_STATE } from "./urlState";

export { TABLE_STATE as SEARCH } from "./urlState";

const TABS: Readonly<Record<string, { label: string; show: (table: Table) => ReactNode }>> = {
  overview: { label: "Overview", show: (table) => <OverviewTab table={table} /> },
  partitions: { label: "Partitions", show: (table) => <PartitionsTab table={table} /> },
  explain: { label: "Explain", show: (table) => <ExplainTab table={table} /> },
  runs: { label: "Runs", show: (table) => <RunsTab table={table} /> },
  snapshots: { label: "Snapshots", show: (table) => <SnapshotsTab table={table} /> },
  upkeep: { label: "Upkeep", show: (table) => <UpkeepTab table={table} /> },
  advice: { label: "Advice", show: (table) => <AdviceTab table={table} /> },
};

export default function TablePage() {
  const { tableId } = useParams({ strict: false }) as { tableId: string };
  const query = useQuery({ ...tableQuery(tableId), refetchInterval: REFRESH.list });
  if (query.isError && isNotFound(query.error)) return <NoTable known={query.data} error={query.error} />;
  if (query.data === undefined) {
    return query.isError ? <Problem error={query.error} onRetry={() => void query.refetch()} /> : <Waiting height={600} label="Loading the table" />;
  }
  return (
    <>
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <OneTable table={query.data} />
    </>
  );
}

function OneTable({ table }: { table: Table }) {
  const [{ tab, dialog }, change] = useUrlState(TABLE_STATE);
  const { has } = useRole();
  const shown = Object.hasOwn(TABS, tab) ? tab : "overview";
  useFreshFigures(table);
  return (
    <>
      <TableHead table={table} />
      <TableNotices table={table} />
      <Tabs value={shown} onChange={(next) => change({ tab: next ?? "overview" }, { push: true })} keepMounted={false}>
        <Tabs.List mb="md" aria-label="Parts of the table" className="no-print">
          {Object.entries(TABS).map(([name, { label }]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(TABS).map(([name, { show }]) => (
          <Tabs.Panel key={name} value={name}>
            {name === shown && show(table)}
          </Tabs.Panel>
        ))}
      </Tabs>
      {dialog === "run" && has("operator") && <RunDialog table={table} onClose={() => change({ dialog: "", operation: "rewrite" })} />}
    </>
  );
}

/** Ask for figures again when the cheap state of the table shows that a look or a run changed something. */
function useFreshFigures(table: Table): void {
  const queries = useQueryClient();
  const { data } = useQuery(stateQuery(table));
  const moment = data ? [data.verdict, data.hold, data.measured_at, data.last_run?.id, data.last_run?.state].join(" ") : null;
  const [seen, setSeen] = useState(moment);
  useEffect(() => {
    if (moment === null || moment === seen) return;
    setSeen(moment);
    if (seen === null) return;
    void queries.invalidateQueries({ queryKey: ["table"], predicate: ({ queryKey }) => queryKey[2] !== "state" });
  }, [moment, seen, queries, table.id]);
}

/** Say that the table is not registered, with what was known of it. */
function NoTable({ known, error }: { known: Table | undefined; error: unknown }) {
  const all = (
    <PageLink to="/tables" underline="always">
      Show all tables
    </PageLink>
  );
  if (known === undefined) {
    return (
      <>
        <PageHead title="No such table" />
        <Problem error={error}>{all}</Problem>
      </>
    );
  }
  return (
    <>
      <PageHead title="This table is no longer registered" sub={<span className="wrap-anywhere">{tableAddress(known)}</span>} />
      <p role="alert">
        It was unregistered while this page was open, or now belongs to a team that you are not in. The table itself and its files are
        untouched, and its runs are kept.
      </p>
      <p>{all}, or register it again there.</p>
    </>
  );
}
