/** The form side of the editor: all settings in groups, filtered by a word or to those that are set here. */
import { Box, Group, Select, Switch, Text, TextInput } from "@mantine/core";
import { useCallback, useMemo } from "react";
import { Section } from "../../../parts/states";
import { counted } from "../../../format/sizes";
import { type Leaf, type Path, valueAt } from "../logic/schema";
import { zoneNames } from "../logic/zones";
import type { Mark } from "../marks";
import type { Draft } from "../useDraft";
import { useTyped } from "../useTyped";
import { grouped } from "./groups";
import { type Layers, standingOf } from "./inheritance";
import { SettingField } from "./SettingField";

export interface FormState {
  readonly find: string;
  readonly only: string;
  readonly as: string;
}

export interface FormPaneProps {
  readonly draft: Draft;
  readonly layers: Layers;
  readonly marks: readonly Mark[];
  readonly isReadOnly: boolean;
  readonly state: FormState;
  readonly onState: (patch: Partial<FormState>) => void;
  /** Tables of which effective values can be shown; null for a table's own policy. */
  readonly tables: readonly { value: string; label: string }[] | null;
  readonly isWaitingForTables: boolean;
}

export function FormPane({ draft, layers, marks, isReadOnly, state, onState, tables, isWaitingForTables }: FormPaneProps) {
  const { leaves, value, root } = draft;
  const isBroken = draft.parsed.fault !== null;
  const isSet = (leaf: Leaf) => (valueAt(value, leaf.path) ?? undefined) !== undefined;
  const [find, setFind] = useTyped(state.find, (text) => onState({ find: text }));
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (leaf: Leaf) =>
    (state.only === "" || isSet(leaf) || draft.changed.includes(leaf)) &&
    words.every((word) => `${leaf.name} ${leaf.description}`.toLowerCase().includes(word));
  const groups = grouped(leaves).map((group) => ({ ...group, fitting: group.leaves.filter(fits) }));
  const isFiltered = words.length > 0 || state.only !== "";
  const errors = useMemo(() => errorsBy(leaves, marks), [leaves, marks]);
  const { change } = draft;
  const onChange = useCallback((path: Path, next: unknown) => change([path, next]), [change]);
  return (
    <Section title="Settings" aside={<Text size="sm" c="dimmed">{counted(leaves.filter(isSet).length, "setting")} set here</Text>}>
      <Group gap="sm" mb="xs" align="flex-end">
        <TextInput
          size="xs"
          label="Find a setting"
          value={find}
          onChange={({ currentTarget }) => setFind(currentTarget.value)}
          style={{ flex: 1, minWidth: 140 }}
        />
        {tables !== null && !isWaitingForTables && <ShownTable tables={tables} value={state.as} onChange={(as) => onState({ as })} />}
        <Switch
          size="sm"
          label="Only set here"
          checked={state.only !== ""}
          onChange={({ currentTarget }) => onState({ only: currentTarget.checked ? "set" : "" })}
          mb={4}
        />
      </Group>
      {isBroken && (
        <Text size="sm" mb="xs" role="alert" fw={500}>
          Line {draft.parsed.fault!.line} of the YAML can't be read: {draft.parsed.fault!.message}. The form follows again once it is corrected.
        </Text>
      )}
      <fieldset className="policy-fields" disabled={isBroken} aria-label="Settings of the policy">
        {groups.map(({ title, leaves: all, fitting }) =>
          fitting.length === 0 ? null : (
            <details key={title} className="policy-group" open={isFiltered || title === "General" || all.some(isSet)}>
              <summary>
                {title}{" "}
                <Text span size="sm" c="dimmed">
                  {all.filter(isSet).length} of {all.length} set here
                </Text>
              </summary>
              <Box>
                {fitting.map((leaf) => (
                  <SettingField
                    key={leaf.name}
                    leaf={leaf}
                    root={root}
                    value={valueAt(value, leaf.path)}
                    standing={standingOf(leaf, layers)}
                    isChanged={draft.changed.includes(leaf)}
                    errors={errors.get(leaf.name) ?? "{}"}
                    isDisabled={isReadOnly || isBroken}
                    onChange={onChange}
                  />
                ))}
              </Box>
            </details>
          ),
        )}
        {groups.every(({ fitting }) => fitting.length === 0) && (
          <Text c="dimmed" py="md">
            {words.length > 0 ? "No setting fits. Try a part of its name, such as “bytes” or “interval”." : "This policy sets nothing in these groups: all is inherited."}
          </Text>
        )}
      </fieldset>
      <Zones />
    </Section>
  );
}

function ShownTable({ tables, value, onChange }: { tables: readonly { value: string; label: string }[]; value: string; onChange: (id: string) => void }) {
  return (
    <Select
      size="xs"
      label="Inherited values of the table"
      data={[...tables]}
      value={value === "" ? null : value}
      placeholder={tables.length === 0 ? "no table is covered" : "choose a table"}
      searchable
      nothingFoundMessage="No covered table fits"
      onChange={(id) => id !== null && onChange(id)}
      style={{ flex: 1, minWidth: 180 }}
    />
  );
}

/** Names of time zones, offered in all fields for them. */
function Zones() {
  const names = useMemo(zoneNames, []);
  return (
    <datalist id="policy-zones">
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
}

function errorsBy(leaves: readonly Leaf[], marks: readonly Mark[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const leaf of leaves) {
    const inside = marks.filter(({ name }) => name === leaf.name || name.startsWith(`${leaf.name}.`));
    if (inside.length === 0) continue;
    const messages = inside.map(({ name, message, hint }) => [name.slice(leaf.name.length + 1), hint === null ? message : `${message}: ${hint}`]);
    found.set(leaf.name, JSON.stringify(Object.fromEntries(messages)));
  }
  return found;
}
