/** All tables that the caller sees: search, filters and order in the URL, rows fetched as they are reached. */
import { Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useCallback, useMemo, useState } from "react";
import { counted } from "../../format/sizes";
import { RoleButton } from "../../parts/actions";
import { CopyAs } from "../../parts/CopyAs";
import { ButtonLink } from "../../parts/links";
import { Problem } from "../../parts/Problem";
import { RowsTable } from "../../parts/RowsTable";
import { PageHead, Waiting } from "../../parts/states";
import { useUrlState } from "../../parts/useUrlState";
import { BulkBar } from "./BulkBar";
import { columnsOf } from "./columns";
import { commandOf, DEFAULTS, isFiltered, pathOf, type TablesState } from "./filters";
import { NoTables } from "./NoTables";
import { RegisterDialog } from "./RegisterDialog";
import "./tables.css";
import { TablesFilters } from "./TablesFilters";
import { type FleetTable, useFleetTables } from "./tablesQueries";

export { DEFAULTS as SEARCH } from "./filters";

export default function TablesPage() {
  const [state, change] = useUrlState<TablesState>(DEFAULTS);
  const [isRegistering, registering] = useDisclosure(false);
  const reset = () => change({ ...DEFAULTS, sort: state.sort });
  return (
    <>
      <PageHead title="Tables" sub="Every registered table that you may see, and why it is or is not rewritten.">
        <CopyAs label="Copy list as" request={{ method: "GET", path: pathOf(state) }} cli={commandOf(state)} />
        <ButtonLink size="xs" variant="default" to="/catalogs">
          Discover tables
        </ButtonLink>
        <RoleButton needs="owner" size="xs" onClick={registering.open}>
          Register a table
        </RoleButton>
      </PageHead>
      <TablesFilters state={state} onChange={change} onReset={reset} canReset={isFiltered(state)} />
      <TablesList state={state} onSort={(sort) => change({ sort })} onReset={reset} />
      <RegisterDialog opened={isRegistering} onClose={registering.close} />
    </>
  );
}

function TablesList({ state, onSort, onReset }: { state: TablesState; onSort: (sort: string) => void; onReset: () => void }) {
  const { query, items, more, isFetchingMore, hasMore, listKey } = useFleetTables(state);
  const [chosen, setChosen] = useState<ReadonlyMap<string, FleetTable>>(new Map());
  const byId = useMemo(() => new Map(items.map((table) => [table.table_id, table])), [items]);
  const onChoose = useCallback(
    (id: string, isChosen: boolean) =>
      setChosen((before) => {
        const next = new Map(before);
        const table = byId.get(id);
        if (isChosen && table !== undefined) next.set(id, table);
        else next.delete(id);
        return next;
      }),
    [byId],
  );
  const columns = useMemo(() => columnsOf((id) => chosen.has(id), onChoose), [chosen, onChoose]);
  const problem = query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return problem || <Waiting height={480} label="Loading tables" />;
  return (
    <>
      {problem}
      {items.length === 0 ? (
        <NoTables isFiltered={isFiltered(state)} onReset={onReset} />
      ) : (
        <RowsTable
          label="Tables"
          columns={columns}
          rows={items}
          rowKey={(table) => table.table_id}
          listKey={listKey}
          sort={state.sort}
          onSort={onSort}
          onMore={more}
          isFetchingMore={isFetchingMore}
          height="max(360px, calc(100vh - 320px))"
        />
      )}
      {items.length > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          {hasMore ? `${counted(items.length, "table")} loaded; more follow as you scroll.` : `${counted(items.length, "table")}.`}
        </Text>
      )}
      {chosen.size > 0 && (
        <BulkBar chosen={[...chosen.values()]} shown={items.length} onChooseShown={() => setChosen(byId)} onClear={() => setChosen(new Map())} />
      )}
    </>
  );
}
