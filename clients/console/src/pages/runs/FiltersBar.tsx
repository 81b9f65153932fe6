/** Filters of the list of runs. What is typed is applied after a moment. */
import { Button, Group, MultiSelect, Select, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { operations } from "../../api/operations";
import { RUN_STATES, type RunState } from "../../api/runStates";
import { type Filters, isFiltered, isoOf, localOf } from "./filters";
import { catalogNamesQuery } from "../../api/queries";

export const NO_FILTERS: Filters = { state: [], operation: [], catalog: "", team: "", table: "", since: "", until: "" };

export function FiltersBar({ filters, onChange }: { filters: Filters; onChange: (change: Partial<Filters>) => void }) {
  const { data: catalogs = [] } = useQuery(catalogNamesQuery);
  const names = filters.catalog === "" || catalogs.includes(filters.catalog) ? catalogs : [...catalogs, filters.catalog];
  const known = filters.state.filter((state) => RUN_STATES.includes(state as RunState));
  return (
    <Group gap="xs" align="flex-end" mb="md" className="no-print filters" role="search" aria-label="Filter the runs">
      <MultiSelect size="xs" label="State" w={160} data={[...RUN_STATES]} value={known} onChange={(state) => onChange({ state })} placeholder={known.length === 0 ? "any" : ""} clearable />
      <MultiSelect
        size="xs"
        label="Operation"
        w={160}
        data={operations().map(({ operation, title }) => ({ value: operation, label: title }))}
        value={[...filters.operation]}
        onChange={(operation) => onChange({ operation })}
        placeholder={filters.operation.length === 0 ? "any" : ""}
        clearable
      />
      <Select size="xs" label="Catalog" w={110} data={names} value={filters.catalog || null} onChange={(catalog) => onChange({ catalog: catalog ?? "" })} placeholder="any" clearable searchable />
      <TypedFilter label="Team" width={100} value={filters.team} onChange={(team) => onChange({ team })} placeholder="any" />
      <TypedFilter label="Table" width={190} value={filters.table} onChange={(table) => onChange({ table })} placeholder="lake.sales.orders, or its id" />
      <TimeFilter label="Submitted since" value={filters.since} onChange={(since) => onChange({ since })} />
      <TimeFilter label="Submitted before" value={filters.until} onChange={(until) => onChange({ until })} />
      {isFiltered(filters) && (
        <Button size="xs" variant="default" onClick={() => onChange(NO_FILTERS)}>
          Clear filters
        </Button>
      )}
    </Group>
  );
}

function TypedFilter({
  label,
  width,
  value,
  onChange,
  placeholder,
}: {
  label: string;
  width: number;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
}) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const apply = useDebouncedCallback((text: string) => onChange(text.trim()), 400);
  return (
    <TextInput
      size="xs"
      label={label}
      w={width}
      value={typed}
      placeholder={placeholder}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}

function TimeFilter({ label, value, onChange }: { label: string; value: string; onChange: (iso: string) => void }) {
  return (
    <TextInput size="xs" type="datetime-local" label={label} w={185} value={localOf(value)} onChange={(event) => onChange(isoOf(event.currentTarget.value) ?? "")} />
  );
}
