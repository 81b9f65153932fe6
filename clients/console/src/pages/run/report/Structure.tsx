/** A JSON document as nested names and values. All of it is text: nothing in it is interpreted. */
import { Code, Text } from "@mantine/core";
import { isObject } from "./documents";

const MOST = 200; // entries of one list or object

export function Structure({ value }: { value: unknown }) {
  if (Array.isArray(value)) {
    if (value.every((each) => typeof each !== "object" || each === null)) return <Scalars values={value} />;
    return <Entries entries={value.map((each, index) => [String(index + 1), each])} />;
  }
  if (isObject(value)) return <Entries entries={Object.entries(value)} />;
  return <Code className="wrap-anywhere">{value === null ? "null" : String(value)}</Code>;
}

function Entries({ entries }: { entries: readonly (readonly [string, unknown])[] }) {
  if (entries.length === 0) return <Text size="sm">nothing</Text>;
  return (
    <dl className="structure">
      {entries.slice(0, MOST).map(([name, value]) => (
        <div key={name} className="structure-entry">
          <dt className="wrap-anywhere">{name}</dt>
          <dd>
            <Structure value={value} />
          </dd>
        </div>
      ))}
      <More total={entries.length} />
    </dl>
  );
}

function Scalars({ values }: { values: readonly unknown[] }) {
  return (
    <Code className="wrap-anywhere">
      {values.length === 0 ? "none" : values.slice(0, MOST).map(String).join(", ")}
      {values.length > MOST && ` and ${values.length - MOST} more`}
    </Code>
  );
}

function More({ total }: { total: number }) {
  if (total <= MOST) return null;
  return (
    <div className="structure-entry">
      <dt>…</dt>
      <dd>{total - MOST} more</dd>
    </div>
  );
}
