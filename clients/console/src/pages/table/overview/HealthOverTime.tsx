/** Files by size and the score over time; dragging over the chart narrows the span, which is in the URL. */
import { Button, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { count } from "../../../format/sizes";
import { Answer, Section } from "../../../parts/states";
import { TimeChart } from "../../../parts/TimeChart";
import { useUrlState } from "../../../parts/useUrlState";
import { historyQuery, type Measurement, type Table } from "../tableQueries";
import { TABLE_STATE } from "../urlState";
import { seriesOf } from "./sizes";

const DAY_MS = 86_400_000;
const SPANS = { "24 hours": DAY_MS, "7 days": 7 * DAY_MS, "30 days": 30 * DAY_MS } as const;
const isInstant = (text: string) => text !== "" && !Number.isNaN(Date.parse(text));

export function HealthOverTime({ table }: { table: Table }) {
  const [state, change] = useUrlState(TABLE_STATE);
  const since = isInstant(state.since) ? state.since : "";
  const until = isInstant(state.until) ? state.until : "";
  const query = useQuery(historyQuery(table.id, since, until));
  const select = (from: number, to: number) => change({ since: new Date(from).toISOString(), until: new Date(to).toISOString() });
  const lastFor = (ms: number) => change({ since: new Date(Math.floor((Date.now() - ms) / 60_000) * 60_000).toISOString(), until: "" });
  return (
    <Section
      title="Files over time"
      aside={
        <Group gap={4} className="no-print">
          {Object.entries(SPANS).map(([label, ms]) => (
            <Button key={label} size="xs" variant="default" onClick={() => lastFor(ms)}>
              Last {label}
            </Button>
          ))}
          <Button size="xs" variant="default" disabled={since === "" && until === ""} onClick={() => change({ since: "", until: "" })}>
            All
          </Button>
        </Group>
      }
    >
      <Answer query={query} height={290}>
        {({ items, isCut }) =>
          items.length < 2 ? (
            <Text size="sm" c="dimmed">
              {items.length === 0 ? "No measurement in this span. Choose a longer one." : "One measurement so far. The next follows when the table changes."}
            </Text>
          ) : (
            <Charts items={items} isCut={isCut} onSelect={select} />
          )
        }
      </Answer>
    </Section>
  );
}

function Charts({ items, isCut, onSelect }: { items: readonly Measurement[]; isCut: boolean; onSelect: (from: number, to: number) => void }) {
  const at = useMemo(() => items.map((one) => Date.parse(one.measured_at)), [items]);
  const files = useMemo(() => seriesOf(items), [items]);
  const score = useMemo(() => [{ label: "Score", color: 2, values: items.map((one) => one.score) }], [items]);
  return (
    <>
      {isCut && (
        <Text size="sm" c="dimmed">
          The newest {count(items.length)} measurements of this span. Drag over the chart for a shorter one.
        </Text>
      )}
      <div className="two-columns">
        <TimeChart label="Data files by size over time" at={at} series={files} format={count} onSelect={onSelect} />
        <TimeChart label="Health score over time" at={at} series={score} format={count} onSelect={onSelect} />
      </div>
    </>
  );
}
