/** Settings before and after a change, as a table. */
import { useQuery } from "@tanstack/react-query";
import { kindsOf } from "../logic/canonical";
import { leavesOf } from "../logic/schema";
import { shown } from "../logic/shown";
import { itemText } from "../logic/words";
import { schemaQuery } from "../policyQueries";

export interface ShownChange {
  readonly setting: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly before_origin?: string;
  readonly after_origin?: string;
}

export function SettingChanges({ settings, label }: { settings: readonly ShownChange[]; label: string }) {
  return (
    <table className="policy-table" aria-label={label}>
      <thead>
        <tr>
          <th scope="col">Setting</th>
          <th scope="col">Before</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {settings.map(({ setting, before, after, before_origin: from, after_origin: to }) => (
          <tr key={setting}>
            <th scope="row" className="policy-value">
              {setting}
            </th>
            <td>
              <SettingValue name={setting} value={before} />
              {from !== undefined && <span className="dim"> ({from})</span>}
            </td>
            <td>
              <SettingValue name={setting} value={after} />
              {to !== undefined && <span className="dim"> ({to})</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A value of a setting as text: sizes in units, rules in words, one item of a list in a line. */
export function SettingValue({ name, value }: { name: string; value: unknown }) {
  const { data: root } = useQuery(schemaQuery);
  const leaf = root === undefined ? undefined : leavesOf(root).find((each) => each.name === name);
  if (Array.isArray(value) && value.length > 0) {
    return (
      <>
        {value.map((item: unknown, index) => (
          <span key={index} style={{ display: "block" }}>
            {itemText(item)}
          </span>
        ))}
      </>
    );
  }
  return <span className="policy-value">{shown(value, leaf === undefined ? [] : kindsOf(leaf.node, root!))}</span>;
}
