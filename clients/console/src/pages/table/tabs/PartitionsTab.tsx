/** All partitions of the table, ordered by the server, fetched as they are reached. */
import { Select, Text } from "@mantine/core";
import type { Schemas } from "../../../api/client";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { bytes, count, counted, share } from "../../../format/sizes";
import { CopyAs } from "../../../parts/CopyAs";
import { Problem } from "../../../parts/Problem";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Empty, Section, Waiting } from "../../../parts/states";
import { usePages } from "../../../parts/usePages";
import { useUrlState } from "../../../parts/useUrlState";
import { Bar } from "../Bar";
import { fetchPartitions, type Partition, type Table } from "../tableQueries";
import { TABLE_STATE } from "../urlState";

const SORTS = [
  { value: "-small_file_count", label: "Most small files first" },
  { value: "-avoidable_file_count", label: "Most avoidable files first" },
  { value: "-file_count", label: "Most files first" },
  { value: "-total_bytes", label: "Largest first" },
  { value: "average_file_bytes", label: "Smallest files first" },
  { value: "partition", label: "By partition" },
  { value: "-partition", label: "By partition, the last first" },
];

const COLUMNS: readonly Column<Partition>[] = [
  { key: "partition", title: "Partition", sort: "partition", cell: (one) => <span className="cut" title={one.partition.text}>{one.partition.text}</span> },
  {
    key: "share",
    title: "Avoidable",
    width: "160px",
    cell: (one) => <Bar fill={one.avoidable_file_count / Math.max(1, one.file_count)} tone="unmet" rest={1 - one.avoidable_file_count / Math.max(1, one.file_count)} />,
  },
  { key: "avoidable", title: "Avoidable files", width: "130px", align: "right", sort: "avoidable_file_count", cell: (one) => count(one.avoidable_file_count) },
  { key: "small", title: "Small files", width: "120px", align: "right", sort: "small_file_count", cell: (one) => count(one.small_file_count) },
  { key: "files", title: "Files", width: "100px", align: "right", sort: "file_count", cell: (one) => count(one.file_count) },
  { key: "bytes", title: "Size", width: "110px", align: "right", sort: "total_bytes", cell: (one) => bytes(one.total_bytes) },
  { key: "average", title: "Mean file", width: "110px", align: "right", sort: "average_file_bytes", cell: (one) => bytes(one.average_file_bytes) },
  { key: "deletes", title: "With deletes", width: "130px", align: "right", sort: "files_with_deletes", cell: (one) => count(one.files_with_deletes) },
  { key: "largest", title: "Largest small", width: "120px", align: "right", cell: (one) => share(one.largest_small_file_share) },
  { key: "spec", title: "Spec", width: "70px", align: "right", cell: (one) => one.spec_id },
];

export function PartitionsTab({ table }: { table: Table }) {
  const [{ sort }, change] = useUrlState(TABLE_STATE);
  const { query, items, more, isFetchingMore, hasMore, listKey } = usePages<Partition>(["table", table.id, "partitions", sort], (token, signal) =>
    fetchPartitions(table.id, sort, token, signal),
  );
  if (query.data === undefined) return query.isError ? <Problem error={query.error} onRetry={() => void query.refetch()} /> : <Waiting height={480} label="Loading partitions" />;
  const total = (query.data.pages[0] as Partial<Schemas["PartitionList"]> | undefined)?.partition_count ?? items.length;
  const path = `/v1/tables/${encodeURIComponent(table.id)}/partitions?sort=${encodeURIComponent(sort)}`;
  return (
    <Section title="Partitions" aside={<CopyAs request={{ method: "GET", path }} cli={commandLine("packhouse", "tables", "partitions", tableAddress(table), `--sort=${sort}`)} />}>
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      <Select label="Order" w={240} mb="sm" data={SORTS.some(({ value }) => value === sort) ? SORTS : [...SORTS, { value: sort, label: sort }]} value={sort}
        allowDeselect={false} onChange={(value) => change({ sort: value ?? sort })} />
      {items.length === 0 ? (
        <Empty title="No partition has files">The table has no live data files yet.</Empty>
      ) : (
        <RowsTable label="List of partitions" columns={COLUMNS} rows={items} rowKey={(one) => `${one.spec_id} ${one.partition.text}`} listKey={listKey} sort={sort}
          onSort={(next) => change({ sort: next })} onMore={more} isFetchingMore={isFetchingMore} height="60vh" />
      )}
      <Text size="sm" c="dimmed" mt="xs">
        {hasMore ? `${count(items.length)} of ${counted(total, "partition")} loaded; more follow as you scroll.` : `${counted(total, "partition")}.`} Orange: files that a
        rewrite would save.
      </Text>
    </Section>
  );
}
