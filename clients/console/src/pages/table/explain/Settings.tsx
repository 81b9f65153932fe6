/** The settings that apply to the table, each with the layer that sets it. */
import { Group, SegmentedControl, TextInput } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../../api/client";
import { ButtonLink } from "../../../parts/links";
import { Section } from "../../../parts/states";
import { useUrlState } from "../../../parts/useUrlState";
import type { Table } from "../tableQueries";
import { TABLE_STATE } from "../urlState";

const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function Settings({ table, settings }: { table: Table; settings: Readonly<Record<string, Schemas["ExplainedSetting"]>> }) {
  const [state, change] = useUrlState(TABLE_STATE);
  const [searched, setSearched] = useState("");
  const all = Object.entries(settings);
  const shown = all.filter(
    ([name, { origin }]) => (state.settings === "all" || !["default", "derived"].includes(origin)) && name.includes(searched.trim().toLowerCase()),
  );
  return (
    <Section
      title="Settings and where they come from"
      aside={
        <ButtonLink size="xs" variant="default" to="/tables/$tableId/policy" params={{ tableId: table.id }}>
          Edit the policy
        </ButtonLink>
      }
    >
      <Group mb="xs" align="flex-end">
        <SegmentedControl
          size="xs"
          aria-label="Settings to show"
          value={state.settings}
          onChange={(value) => change({ settings: value })}
          data={[
            { value: "set", label: "Set by a policy" },
            { value: "all", label: `All ${all.length}` },
          ]}
        />
        <TextInput size="xs" label="Search settings" value={searched} onChange={(event) => setSearched(event.currentTarget.value)} />
      </Group>
      {shown.length === 0 ? (
        <p className="dim">{searched === "" ? "No policy sets anything: every setting is a default." : "No setting has this text in its name."}</p>
      ) : (
        <div className="rows" style={{ maxHeight: 420 }} tabIndex={0} role="region" aria-label="List of settings">
          <table>
            <thead>
              <tr>
                <th scope="col">Setting</th>
                <th scope="col">Value</th>
                <th scope="col">Set by</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(([name, setting]) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td title={text(setting.value)}>{text(setting.value)}</td>
                  <td title={setting.origin}>
                    {setting.origin}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
