/**
 * A table of any number of rows: only the rows in view are in the document, further pages are fetched when reached.
 *
 * Rows have one height (`ROW_HEIGHT` px), so that scrolling needs no measuring.
 */
import { Box, Text } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useEffect, useLayoutEffect, useRef } from "react";

const ROW_HEIGHT = 40;
const OVERSCAN = 12;

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Width as a CSS length or track size, such as `120px`. */
  readonly width?: string;
  readonly align?: "left" | "right";
  /** Name of the sort order if the list can be sorted by this column. */
  readonly sort?: string;
  readonly cell: (row: Row) => ReactNode;
}

export interface RowsTableProps<Row> {
  /** What the rows are, for screen readers: `Tables`. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Which list this is, such as its filters and order: when it changes, the view returns to the first row. */
  readonly listKey?: string;
  /** Present order: a column's `sort`, with `-` in front for descending. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Fetch the next page; undefined when all rows are there. */
  readonly onMore?: (() => void) | undefined;
  readonly isFetchingMore?: boolean;
  /** Height of the view in px, or any CSS length. */
  readonly height?: number | string;
}

export function RowsTable<Row>(props: RowsTableProps<Row>) {
  const { rows, columns, onMore, isFetchingMore = false } = props;
  const view = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => view.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    initialRect: { width: 1000, height: 800 },
  });
  const shownKey = useRef(props.listKey);
  useLayoutEffect(() => {
    if (shownKey.current === props.listKey) return;
    shownKey.current = props.listKey;
    virtual.scrollToOffset(0); // also drops the offset that it would keep for rows that are not there any more
  }, [props.listKey, virtual]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onMore !== undefined && !isFetchingMore && last >= rows.length - OVERSCAN * 2) onMore();
  }, [last, rows.length, onMore, isFetchingMore]);
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  return (
    <Box className="rows" ref={view} mah={props.height ?? "70vh"} tabIndex={0} role="group" aria-label={props.label}>
      <table aria-label={props.label} aria-rowcount={onMore === undefined ? rows.length + 1 : -1}>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.key} column={column} sort={props.sort} onSort={props.onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Gap height={before} columns={columns.length} />}
          {items.map(({ index }) => {
            const row = rows[index] as Row;
            return <BodyRow key={props.rowKey(row)} row={row} index={index} columns={columns} />;
          })}
          {after > 0 && <Gap height={after} columns={columns.length} />}
        </tbody>
      </table>
      {isFetchingMore && (
        <Text size="sm" c="dimmed" p="xs" role="status">
          Loading more
        </Text>
      )}
    </Box>
  );
}

/** One row. It is drawn again only for another row or other columns, not for each step of scrolling. */
const BodyRow = memo(function BodyRow<Row>({ row, index, columns }: { row: Row; index: number; columns: readonly Column<Row>[] }) {
  return (
    <tr aria-rowindex={index + 2} style={{ height: ROW_HEIGHT }}>
      {columns.map((column) => (
        <td key={column.key} className={column.align === "right" ? "right" : undefined}>
          {column.cell(row)}
        </td>
      ))}
    </tr>
  );
}) as <Row>(props: { row: Row; index: number; columns: readonly Column<Row>[] }) => ReactNode;

function Gap({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}

function HeadCell<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: string | undefined;
  onSort: ((sort: string) => void) | undefined;
}) {
  const style = column.width === undefined ? undefined : { width: column.width };
  const className = column.align === "right" ? "right" : undefined;
  if (column.sort === undefined || onSort === undefined) {
    return (
      <th scope="col" style={style} className={className}>
        {column.title}
      </th>
    );
  }
  const isDown = sort === `-${column.sort}`;
  const isUp = sort === column.sort;
  return (
    <th
      scope="col"
      style={style}
      className={className}
      aria-sort={isDown ? "descending" : isUp ? "ascending" : "none"}
    >
      <button type="button" className="sort" onClick={() => onSort(isDown ? column.sort! : `-${column.sort}`)}>
        {column.title} <span aria-hidden="true">{isDown ? "↓" : isUp ? "↑" : "↕"}</span>
      </button>
    </th>
  );
}
