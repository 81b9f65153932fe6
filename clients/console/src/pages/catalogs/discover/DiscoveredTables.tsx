/** The tables that a discovery found, each with its outcome. */
import { Text } from "@mantine/core";
import type { Schemas } from "../../../api/client";
import { count, counted } from "../../../format/sizes";
import { Badge } from "../../../parts/badges";
import { PageLink } from "../../../parts/links";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Empty } from "../../../parts/states";
import { OUTCOMES, type Outcome } from "./discovery";

type Found = Schemas["DiscoveredTable"];

const COLUMNS: readonly Column<Found>[] = [
  {
    key: "table",
    title: "Table",
    cell: (table) => {
      const address = [...table.namespace, table.name].join(".");
      return table.table_id === null ? (
        <span className="cut">{address}</span>
      ) : (
        <PageLink to="/tables/$tableId" params={{ tableId: table.table_id }} size="sm">
          <span className="cut">{address}</span>
        </PageLink>
      );
    },
  },
  {
    key: "outcome",
    title: "Outcome",
    width: "170px",
    cell: (table) => <Badge tone={OUTCOMES[table.outcome]?.tone ?? "quiet"}>{OUTCOMES[table.outcome]?.text ?? table.outcome}</Badge>,
  },
  {
    key: "why",
    title: "Why",
    cell: (table) => (
      <span className="cut" title={table.detail ?? ""}>
        {table.detail ?? "–"}
      </span>
    ),
  },
];

export function DiscoveredTables({ discovery, how }: { discovery: Schemas["Discovery"]; how: "list" | "try" | "register" }) {
  const counts = Object.entries(discovery.counts).filter(([, tables]) => tables > 0);
  if (discovery.tables.length === 0) {
    return (
      <Empty title="No table matches">
        {counted(discovery.examined, "table")} of the catalog {discovery.examined === 1 ? "was" : "were"} looked at. The pattern is matched
        against namespace.name: try <code>*</code>.
      </Empty>
    );
  }
  return (
    <>
      <Text size="sm" mb="xs" role="status">
        {counted(discovery.examined, "table")} looked at:{" "}
        {counts.map(([outcome, tables]) => `${count(tables)} ${OUTCOMES[outcome as Outcome]?.text ?? outcome}`).join(", ")}.
        {discovery.truncated && " The catalog has more than can be looked at together: narrow the pattern."}
        {how === "list" && " Only listed, no table was opened: whether each can be registered shows when it is tried."}
      </Text>
      <RowsTable label="Tables found" columns={COLUMNS} rows={discovery.tables} rowKey={(table) => JSON.stringify([table.namespace, table.name])} height="60vh" />
    </>
  );
}
