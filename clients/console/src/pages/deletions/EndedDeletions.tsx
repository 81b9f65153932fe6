/** Deletions that have ended, newest first: what each deleted, who undid it, and the list of its files. */
import { REFRESH } from "../../api/queries";
import { Badge } from "../../parts/badges";
import { DeletedFilesButton } from "../../parts/DeletedFilesButton";
import { RunLink } from "../../parts/links";
import { Problem } from "../../parts/Problem";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Empty, Section, Waiting } from "../../parts/states";
import { Time } from "../../parts/Time";
import { usePages } from "../../parts/usePages";
import { operationName } from "../../api/operations";
import { endedPage, type Filters } from "./deletionQueries";
import { type Deletion, deletedText } from "./deletions";
import { TableName } from "./LiveDeletions";

const TONES = { done: "good", failed: "bad", undone: "warn", pending: "waiting", running: "busy" } as const;

const COLUMNS: readonly Column<Deletion>[] = [
  { key: "ended", title: "Ended", width: "170px", cell: ({ ended_at: at }) => <Time at={at} /> },
  { key: "state", title: "State", width: "90px", cell: ({ state }) => <Badge tone={TONES[state] ?? "quiet"}>{state}</Badge> },
  { key: "operation", title: "Operation", width: "180px", cell: ({ id, operation }) => <RunLink runId={id} size="sm">{operationName(operation)}</RunLink> },
  { key: "table", title: "Table", width: "220px", cell: (deletion) => <TableName deletion={deletion} /> },
  { key: "deleted", title: "Deleted", cell: ({ result }) => deletedText(result) },
  { key: "by", title: "Requested by", width: "140px", cell: ({ requested_by: by }) => <Cut text={by} /> },
  { key: "decided", title: "Decided by", width: "200px", cell: (deletion) => <Cut text={decidedBy(deletion)} /> },
  {
    key: "files",
    title: "Files",
    width: "90px",
    cell: ({ id, result }) => ("deleted_files_list" in result && result.deleted_files_list ? <DeletedFilesButton runId={id} label="CSV" size="compact-xs" /> : "–"),
  },
];

/** Who undid or acknowledged it. */
function decidedBy({ ended_by: undoneBy, acknowledgement: asked }: Deletion): string {
  if (undoneBy !== null) return `undone by ${undoneBy}`;
  return asked?.acknowledged_by ? `acknowledged by ${asked.acknowledged_by}` : "–";
}

function Cut({ text }: { text: string }) {
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  );
}

export function EndedDeletions({ filters }: { filters: Filters }) {
  const { query, items, more, isFetchingMore, hasMore, listKey } = usePages(["deletions", "ended", filters], endedPage(filters), {
    refetchMs: REFRESH.list,
  });
  return (
    <Section title="Ended">
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.data === undefined && !query.isError && <Waiting height={300} label="Loading ended deletions" />}
      {query.data !== undefined && items.length === 0 && !hasMore && (
        <Empty title="No deletion has ended">What is deleted is listed here with its files, and what was undone.</Empty>
      )}
      {items.length > 0 && (
        <RowsTable label="Ended deletions" columns={COLUMNS} rows={items} rowKey={({ id }) => id} listKey={listKey} onMore={more} isFetchingMore={isFetchingMore} />
      )}
    </Section>
  );
}
