/** The tables of which a rewrite would save the most files, and why each does not run now. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client";
import { bytes, count } from "../../format/sizes";
import { RunStateBadge, VerdictBadge } from "../../parts/badges";
import { PageLink } from "../../parts/links";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Answer, Section } from "../../parts/states";
import { Ago } from "../../parts/Time";
import { worthQuery } from "./fleetQueries";
import { holdText } from "./holds/holds";

type Table = Schemas["FleetTable"];

const COLUMNS: readonly Column<Table>[] = [
  {
    key: "table",
    title: "Table",
    cell: (table) => (
      <PageLink to="/tables/$tableId" params={{ tableId: table.table_id }} size="sm">
        <span className="cut">{table.table}</span>
      </PageLink>
    ),
  },
  { key: "worth", title: "Worth", align: "right", cell: (table) => worthText(table.benefit_per_cost) },
  { key: "score", title: "Health", align: "right", cell: (table) => (table.score === null ? "–" : `${Math.round(table.score)} of 100`) },
  { key: "avoidable", title: "Files to save", align: "right", cell: (table) => count(table.avoidable_file_count) },
  { key: "small", title: "Small files", align: "right", cell: (table) => count(table.small_file_count) },
  { key: "bytes", title: "Size", align: "right", cell: (table) => bytes(table.total_bytes) },
  { key: "verdict", title: "Now", cell: (table) => <VerdictBadge verdict={table.verdict} /> },
  {
    key: "why",
    title: "Why",
    cell: (table) => (
      <span className="cut" title={table.detail ?? ""}>
        {table.hold === null ? (table.detail ?? "–") : holdText(table.hold)}
      </span>
    ),
  },
  {
    key: "run",
    title: "Last run",
    cell: (table) =>
      table.last_run === null ? (
        "none"
      ) : (
        <PageLink to="/runs/$runId" params={{ runId: table.last_run.id }} size="sm" underline="never">
          <RunStateBadge state={table.last_run.state} /> <Ago at={table.last_run.finished_at ?? table.last_run.created_at} />
        </PageLink>
      ),
  },
];

/** Return the benefit per cost with two digits that count. */
export const worthText = (worth: number | null): string => (worth === null ? "–" : worth === 0 ? "0" : worth >= 100 ? count(Math.round(worth)) : worth.toPrecision(2));

export function WorthSection() {
  const query = useQuery(worthQuery);
  return (
    <Section
      title="Tables with the most files to save"
      aside={
        <PageLink to="/tables" size="sm">
          All tables
        </PageLink>
      }
    >
      <Text size="sm" c="dimmed" mb="xs">
        Files to save: those that a rewrite would make unnecessary. Worth: the read cost in bytes that one scan saves, for each byte that a rewrite reads, less the chance to lose the commit.
      </Text>
      <Answer query={query} height={520}>
        {({ items }) => <RowsTable label="Tables, those with the most files to save first" columns={COLUMNS} rows={items} rowKey={(table) => table.table_id} height={660} />}
      </Answer>
    </Section>
  );
}
