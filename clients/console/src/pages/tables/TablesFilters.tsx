/** The filters above the list of tables. */
import { Button, Group, MultiSelect, Select, TagsInput, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { RUN_STATES } from "../../api/runStates";
import { HOLDS, SORTS, type TablesState, VERDICTS } from "./filters";
import { catalogsQuery } from "./tablesQueries";

const TYPED_MS = 300;
const optionsOf = (words: Readonly<Record<string, string>>, extra: readonly string[] = []) => [
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
  ...extra.filter((value) => !(value in words)).map((value) => ({ value, label: value.replaceAll("_", " ") })),
];

export function TablesFilters({ state, onChange, onReset, canReset }: {
  state: TablesState;
  onChange: (patch: Partial<TablesState>) => void;
  onReset: () => void;
  canReset: boolean;
}) {
  const { data: catalogs } = useQuery(catalogsQuery);
  const names = [...new Set([...(catalogs?.items.map(({ name }) => name) ?? []), ...(state.catalog === "" ? [] : [state.catalog])])];
  const [isOpen, setOpen] = useState(() => [state.team, state.paused, state.frozen].some((value) => value !== "") || [state.label, state.hold, state.run].some((list) => list.length > 0));
  const flag = (name: "paused" | "frozen", label: string) => (
    <Select label={label} w={120} data={[{ value: "yes", label: "Yes" }, { value: "no", label: "No" }]} placeholder="Any" clearable
      value={state[name] || null} onChange={(value) => onChange({ [name]: value ?? "" })} />
  );
  const more = [state.team, state.paused, state.frozen, ...state.label, ...state.hold, ...state.run].filter((value) => value !== "").length;
  return (
    <div role="search" aria-label="Filter the tables" className="tables-filters no-print">
      <Group align="flex-end" gap="sm">
        <Typed label="Search" placeholder="Part of the address" value={state.search} maxLength={200} w={240} onSettled={(search) => onChange({ search })} />
        <Select label="Catalog" w={150} data={names} placeholder="Any" clearable searchable value={state.catalog || null}
          onChange={(value) => onChange({ catalog: value ?? "" })} />
        <MultiSelect label="Verdict" w={220} data={optionsOf(VERDICTS)} placeholder={state.verdict.length === 0 ? "Any" : ""} clearable
          value={[...state.verdict]} onChange={(verdict) => onChange({ verdict })} />
        <Select label="Order" w={240} data={optionsOf(SORTS, [state.sort])} allowDeselect={false} value={state.sort}
          onChange={(sort) => onChange({ sort: sort ?? state.sort })} />
        <Button variant="default" disabled={!canReset} onClick={onReset}>
          Clear filters
        </Button>
      </Group>
      <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>More filters{more > 0 ? `: ${more} set` : ""}</summary>
        <Group align="flex-end" gap="sm" mt="xs">
          <Typed label="Team" placeholder="Any" value={state.team} maxLength={200} w={150} onSettled={(team) => onChange({ team })} />
          <TagsInput label="Labels" w={200} placeholder={state.label.length === 0 ? "key:value" : ""} maxTags={5} value={[...state.label]}
            isDuplicate={(value, tags) => !/^[^:,]+:[^,]*$/.test(value) || tags.includes(value)} onChange={(label) => onChange({ label })} />
          <MultiSelect label="Held back by" w={230} data={optionsOf(HOLDS, state.hold)} placeholder={state.hold.length === 0 ? "Any" : ""} clearable searchable
            maxValues={16} value={[...state.hold]} onChange={(hold) => onChange({ hold })} />
          <MultiSelect label="Last run" w={200} data={[...RUN_STATES]} placeholder={state.run.length === 0 ? "Any" : ""} clearable
            value={[...state.run]} onChange={(run) => onChange({ run })} />
          {flag("paused", "Paused")}
          {flag("frozen", "Frozen")}
        </Group>
      </details>
    </div>
  );
}

/** A text field that reports its value once typing pauses, and follows the value when it changes elsewhere. */
function Typed({ label, placeholder, value, maxLength, w, onSettled }: {
  label: string;
  placeholder: string;
  value: string;
  maxLength: number;
  w: number;
  onSettled: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const settle = useDebouncedCallback(onSettled, TYPED_MS);
  useEffect(() => setText(value), [value]);
  return (
    <TextInput label={label} placeholder={placeholder} value={text} maxLength={maxLength} w={w}
      onChange={(event) => {
        setText(event.currentTarget.value);
        settle(event.currentTarget.value);
      }}
    />
  );
}
