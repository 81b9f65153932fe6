/** The policies of wider scopes as rows, in the order in which they are merged. */
import { Group, NativeSelect, TextInput } from "@mantine/core";
import { useMemo } from "react";
import type { Schemas } from "../../../api/client";
import { counted } from "../../../format/sizes";
import { PageLink } from "../../../parts/links";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Empty } from "../../../parts/states";
import { Ago } from "../../../parts/Time";
import { useQuery } from "@tanstack/react-query";
import { DeletePolicy } from "../effect/DeletePolicy";
import { leavesOf, valueAt } from "../logic/schema";
import { SCOPE_KINDS, scopeText } from "../logic/scopes";
import { schemaQuery, useMayWrite } from "../policyQueries";
import { scopedTarget } from "../policyTarget";
import { useTyped } from "../useTyped";

type Row = Schemas["ScopedPolicy"];

export interface ScopedListProps {
  readonly items: readonly Row[];
  readonly more: (() => void) | undefined;
  readonly isFetchingMore: boolean;
  readonly kind: string;
  readonly find: string;
  readonly onFilter: (patch: { kind?: string; find?: string }) => void;
}

export function ScopedList({ items, more, isFetchingMore, kind, find, onFilter }: ScopedListProps) {
  const [typed, setTyped] = useTyped(find, (text) => onFilter({ find: text }));
  const { data: root } = useQuery(schemaQuery);
  const leaves = useMemo(() => (root === undefined ? [] : leavesOf(root)), [root]);
  const rows = useMemo(() => {
    const word = typed.toLowerCase();
    const place = (row: Row) => SCOPE_KINDS.findIndex(([each]) => each === row.scope.kind);
    return items
      .filter(({ name, scope }) => (kind === "" || scope.kind === kind) && `${name} ${scopeText(scope)}`.toLowerCase().includes(word))
      .sort((a, b) => place(a) - place(b));
  }, [items, kind, typed]);
  const columns: Column<Row>[] = [
    { key: "scope", title: "Scope", cell: ({ scope }) => <span className="cut" title={scopeText(scope)}>{scopeText(scope)}</span> },
    {
      key: "name",
      title: "Name",
      cell: ({ name }) => (
        <PageLink to="/policies/$name" params={{ name }} size="sm" className="cut">
          {name}
        </PageLink>
      ),
    },
    { key: "sets", title: "Sets", cell: ({ policy }) => counted(leaves.filter(({ path }) => (valueAt(policy, path) ?? null) !== null).length, "setting") },
    { key: "version", title: "Version", width: "80px", align: "right", cell: ({ version }) => version },
    { key: "at", title: "Changed", width: "140px", cell: ({ updated_at: at }) => <Ago at={at} /> },
    { key: "by", title: "By", cell: ({ updated_by: by }) => <span className="cut">{by}</span> },
    { key: "message", title: "Message", cell: ({ message }) => (message === null ? <span className="dim">none</span> : <span className="cut" title={message}>{message}</span>) },
    { key: "delete", title: "Delete", width: "90px", cell: (row) => <DeleteRow row={row} /> },
  ];
  return (
    <>
      <Group gap="sm" mb="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label="Kind of scope"
          value={kind}
          data={[{ value: "", label: "all" }, ...SCOPE_KINDS.map(([each, covers]) => ({ value: each, label: `${each}: ${covers}` }))]}
          onChange={({ currentTarget }) => onFilter({ kind: currentTarget.value })}
        />
        <TextInput size="xs" label="Find by name or scope" value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
      </Group>
      {rows.length === 0 && more === undefined ? (
        <Empty title="No policy fits">Choose another kind of scope, or shorten the word.</Empty>
      ) : (
        <RowsTable label="Policies" columns={columns} rows={rows} rowKey={({ name }) => name} onMore={more} isFetchingMore={isFetchingMore} height={420} />
      )}
    </>
  );
}

function DeleteRow({ row }: { row: Row }) {
  const target = scopedTarget(row.name, row.scope);
  return <DeletePolicy target={target} mayWrite={useMayWrite(target.team) === true} isCompact />;
}
