/** Columns of the list of tables. */
import { Link } from "@tanstack/react-router";
import { bytes, count } from "../../format/sizes";
import { RunStateBadge, VerdictBadge } from "../../parts/badges";
import type { Column } from "../../parts/RowsTable";
import { Ago } from "../../parts/Time";
import { holdWords } from "./filters";
import { SmallFilesCell } from "./SmallFilesCell";
import type { FleetTable } from "./tablesQueries";

/** Why no run of the table starts, in one line; null when there is nothing to say. */
export function whyNot(table: FleetTable): string | null {
  if (table.is_frozen) return "Frozen: a proof failed, see the table";
  if (table.is_paused) return "Paused";
  const words = table.hold === null ? "" : holdWords(table.hold);
  if (table.detail === null) return words === "" ? null : words;
  return words === "" ? table.detail : `${words}: ${table.detail}`;
}

export function columnsOf(isChosen: (id: string) => boolean, onChoose: (id: string, chosen: boolean) => void): Column<FleetTable>[] {
  return [
    {
      key: "choose",
      title: "Select",
      width: "36px",
      cell: (table) => (
        <input
          type="checkbox"
          className="tables-choose"
          aria-label={`Select ${table.table}`}
          checked={isChosen(table.table_id)}
          onChange={(event) => onChoose(table.table_id, event.currentTarget.checked)}
        />
      ),
    },
    {
      key: "table",
      title: "Table",
      cell: (table) => (
        <Link to="/tables/$tableId" params={{ tableId: table.table_id }} className="cut tables-link" title={table.table}>
          {table.table}
        </Link>
      ),
    },
    { key: "verdict", title: "Verdict", width: "120px", sort: "verdict", cell: (table) => <VerdictBadge verdict={table.verdict} /> },
    {
      key: "why",
      title: "Why not",
      sort: "hold",
      cell: (table) => {
        const why = whyNot(table);
        return why === null ? <span className="dim">–</span> : <span className="cut tables-why" title={why}>{why}</span>;
      },
    },
    { key: "small", title: "Small files", width: "170px", cell: (table) => <SmallFilesCell table={table} /> },
    { key: "score", title: "Score", width: "84px", align: "right", sort: "score", cell: (table) => (table.score === null ? "–" : Math.round(table.score)) },
    { key: "bytes", title: "Size", width: "100px", align: "right", cell: (table) => bytes(table.total_bytes) },
    {
      key: "saved",
      title: "To save",
      width: "100px",
      align: "right",
      sort: "avoidable_file_count",
      cell: (table) => count(table.avoidable_file_count),
    },
    {
      key: "run",
      title: "Last run",
      width: "220px",
      sort: "last_run",
      cell: ({ last_run: run }) =>
        run === null ? (
          <span className="dim">none</span>
        ) : (
          <>
            <Link to="/runs/$runId" params={{ runId: run.id }} aria-label={`Last run: ${run.state}`}>
              <RunStateBadge state={run.state} />
            </Link>{" "}
            <Ago at={run.finished_at ?? run.created_at} />
          </>
        ),
    },
    { key: "look", title: "Next look", width: "110px", sort: "next_look_at", cell: (table) => <Ago at={table.next_look_at} /> },
  ];
}
