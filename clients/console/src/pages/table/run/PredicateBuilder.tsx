/** Rows of conditions on columns that choose the partitions of a run. */
import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from "@mantine/core";
import { type ConditionRow, gapOf, needsValue, OPERATORS, type Operator } from "./predicate";

export function PredicateBuilder({
  rows,
  columns,
  partitionedBy,
  onChange,
}: {
  rows: readonly ConditionRow[];
  columns: readonly string[];
  partitionedBy: string;
  onChange: (rows: readonly ConditionRow[]) => void;
}) {
  const set = (at: number, patch: Partial<ConditionRow>) => onChange(rows.map((row, index) => (index === at ? { ...row, ...patch } : row)));
  return (
    <Stack gap="xs" role="group" aria-label="Partitions">
      <Text size="sm" fw={500}>
        Partitions
      </Text>
      <Text size="xs" c="dimmed" className="wrap-anywhere">
        {rows.length === 0 ? "All partitions. " : "Partitions that meet every condition. "}
        Conditions are on the columns that the table is partitioned by ({partitionedBy}).
      </Text>
      {rows.map((row, at) => (
        // by index: rows have no identity, and their inputs hold no state of their own
        <Group key={at} gap="xs" align="flex-start" wrap="wrap">
          <Select aria-label={`Column of condition ${at + 1}`} placeholder="Column" data={[...columns]} searchable w={170} value={row.column || null}
            onChange={(column) => set(at, { column: column ?? "" })} />
          <Select aria-label={`Comparison of condition ${at + 1}`} w={180} allowDeselect={false} value={row.op}
            data={Object.entries(OPERATORS).map(([value, label]) => ({ value, label }))} onChange={(op) => set(at, { op: (op ?? row.op) as Operator })} />
          {needsValue(row.op) && (
            <TextInput aria-label={`Value of condition ${at + 1}`} placeholder={row.op === "in" || row.op === "not_in" ? "a, b, c" : "2026-11-01"} w={170} value={row.text}
              onChange={(event) => set(at, { text: event.currentTarget.value })} />
          )}
          <ActionIcon variant="default" size={36} aria-label={`Remove condition ${at + 1}`} onClick={() => onChange(rows.filter((_, index) => index !== at))}>
            ✕
          </ActionIcon>
          {gapOf(row) !== null && (
            <Text size="xs" c="dimmed" w="100%">
              {gapOf(row)}
            </Text>
          )}
        </Group>
      ))}
      <Button size="xs" variant="default" style={{ alignSelf: "flex-start" }} disabled={rows.length >= 10} onClick={() => onChange([...rows, { column: "", op: "eq", text: "" }])}>
        Add a condition
      </Button>
    </Stack>
  );
}
