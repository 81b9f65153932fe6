/** Known snapshots of the table, those of Packhouse marked, with the figures that were predicted and measured. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { packhouse, type Schemas } from "../../../api/client";
import { REFRESH } from "../../../api/queries";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { bytes, count, counted } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Badge } from "../../../parts/badges";
import { CopyAs } from "../../../parts/CopyAs";
import { RunLink } from "../../../parts/links";
import { Problem } from "../../../parts/Problem";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Empty, Section, Waiting } from "../../../parts/states";
import { Ago } from "../../../parts/Time";
import { usePages } from "../../../parts/usePages";
import { historyQuery, type Table } from "../tableQueries";
import { comparisonOf, type KnownSnapshot, knownSnapshots, proofOf } from "./snapshots";

const both = (predicted: number | null, actual: number | null, format: (value: number | null) => string) =>
  predicted === null && actual === null ? "–" : `${format(predicted)} / ${format(actual)}`;

/** A figure of the whole run, shown once: at its last snapshot. */
function ofRun(row: KnownSnapshot, show: (run: NonNullable<KnownSnapshot["run"]>) => string) {
  return row.run === null || row.run.snapshot_ids.at(-1) !== row.id ? "–" : show(row.run);
}

function filesText({ id, run, seen, change }: KnownSnapshot): string {
  const proof = run === null ? null : proofOf(run, id);
  if (proof !== null && proof.removed !== null) return `${count(proof.removed)} into ${count(proof.added)}`;
  if (seen === null) return "–";
  return change === null || change === 0 ? count(seen.file_count) : `${count(seen.file_count)} (${change < 0 ? "−" : "+"}${count(Math.abs(change))})`;
}

function ProofBadge({ id, run }: KnownSnapshot) {
  const proof = run === null ? null : proofOf(run, id);
  if (proof === null) return <>–</>;
  if (proof.ok) return <Badge tone="good">proven</Badge>;
  return <Badge tone="bad">{proof.isTakenBack ? "failed, taken back" : "failed"}</Badge>;
}

const COLUMNS: readonly Column<KnownSnapshot>[] = [
  { key: "id", title: "Snapshot", width: "190px", cell: ({ id }) => <span className="cut" title={id}>{id}</span> },
  {
    key: "by",
    title: "Made by",
    width: "190px",
    cell: ({ run }) =>
      run === null ? (
        <span className="dim">another writer</span>
      ) : (
        <>
          <Badge tone="busy">Packhouse</Badge> <RunLink runId={run.id}>run</RunLink>
        </>
      ),
  },
  { key: "at", title: "Seen", width: "140px", cell: ({ at }) => <Ago at={at} /> },
  { key: "files", title: "Files", width: "140px", align: "right", cell: filesText },
  { key: "outputs", title: "Files made", align: "right", cell: (row) => ofRun(row, (run) => both(comparisonOf(run).predicted.files, comparisonOf(run).actual.files, count)) },
  { key: "bytes", title: "Bytes made", align: "right", cell: (row) => ofRun(row, (run) => both(comparisonOf(run).predicted.bytes, comparisonOf(run).actual.bytes, bytes)) },
  { key: "seconds", title: "Time", align: "right", cell: (row) => ofRun(row, (run) => both(comparisonOf(run).predicted.seconds, comparisonOf(run).actual.seconds, duration)) },
  { key: "proof", title: "Proof", width: "110px", cell: (row) => <ProofBadge {...row} /> },
];

export function SnapshotsTab({ table }: { table: Table }) {
  const history = usePages<Schemas["HistoryEntry"]>(
    ["table", table.id, "history"],
    (token, signal) => {
      const params = { path: { table_id: table.id }, query: { page_size: 100, ...(token === undefined ? {} : { page_token: token }) } };
      return packhouse.get("/v1/tables/{table_id}/history", { params, signal });
    },
    { refetchMs: REFRESH.list },
  );
  const measurements = useQuery(historyQuery(table.id, "", ""));
  const rows = useMemo(() => knownSnapshots(history.items, measurements.data?.items ?? []), [history.items, measurements.data]);
  const failed = [history.query, measurements].find((query) => query.isError);
  if (history.query.data === undefined || measurements.data === undefined) {
    return failed === undefined ? <Waiting height={400} label="Loading snapshots" /> : <Problem error={failed.error} onRetry={() => void failed.refetch()} />;
  }
  const ours = rows.filter(({ run }) => run !== null).length;
  return (
    <Section
      title="Snapshots"
      aside={
        <CopyAs
          request={{ method: "GET", path: `/v1/tables/${encodeURIComponent(table.id)}/history` }}
          cli={commandLine("packhouse", "tables", "history", tableAddress(table))}
        />
      }
    >
      {failed !== undefined && <Problem error={failed.error} onRetry={() => void failed.refetch()} />}
      <Text size="sm" c="dimmed" mb="xs">
        {counted(ours, "snapshot")} by Packhouse and {counted(rows.length - ours, "snapshot")} of other writers that a measurement saw. Commits between two measurements are not
        listed. Files made, bytes made and time are those of the whole run, predicted / actual.
      </Text>
      {rows.length === 0 ? (
        <Empty title="No snapshot was seen yet">The first one appears after the first look at the table.</Empty>
      ) : (
        <RowsTable label="List of snapshots" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} onMore={history.more} isFetchingMore={history.isFetchingMore} height="60vh" />
      )}
    </Section>
  );
}
