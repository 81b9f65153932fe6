/** How far a running run is: groups, bytes, rate against its limit, remaining time. */
import { Progress as Bar, Text } from "@mantine/core";
import type { Progress } from "@packhouse/client";
import { useMemo } from "react";
import { bytes, count, rate, share } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Figure, Section } from "../../../parts/states";
import { TimeChart } from "../../../parts/TimeChart";
import type { Rates } from "./ring";

export function LiveFigures({ progress, rates }: { progress: Progress; rates: Rates }) {
  const done = progress.bytes_total === 0 ? 0 : progress.bytes_finished / progress.bytes_total;
  return (
    <Section title="Progress">
      <Bar value={done * 100} mb="sm" aria-label={`Finished: ${share(done)} of the bytes`} />
      <div className="figures-row">
        <Figure name="Groups finished" value={`${count(progress.groups_finished)} of ${count(progress.groups_total)}`} />
        <Figure name="Bytes finished" value={bytes(progress.bytes_finished)} hint={`of ${bytes(progress.bytes_total)}, ${share(done)}`} />
        <Figure name="Rate now" value={rate(progress.bytes_per_second)} hint={usedShare(progress)} />
        <Figure
          name="Limit now"
          value={progress.budget_bytes_per_second === null ? "none" : rate(progress.budget_bytes_per_second)}
          hint="least of the table's limit and its shares of catalog and fleet"
        />
        <Figure name="Remaining" value={duration(progress.eta_seconds)} hint={progress.eta_seconds === null ? "known once tasks report" : "at the present rate"} />
        <Figure name="Held back by limits" value={duration(progress.throttled_seconds)} hint="thread-seconds of all tasks" />
      </div>
      <RateChart rates={rates} />
    </Section>
  );
}

function usedShare({ bytes_per_second: moved, budget_bytes_per_second: budget }: Progress): string {
  if (moved === null) return "no task reports";
  return budget === null ? "not limited" : `${share(moved / budget)} of the limit`;
}

/** The rate against its limit since the page was opened, as far as kept. */
export function RateChart({ rates }: { rates: Rates }) {
  const series = useMemo(
    () => [
      { label: "Rate", values: rates.rate, color: 0, fill: true },
      { label: "Limit", values: rates.budget, color: 1, steps: true, dashed: true },
    ],
    [rates],
  );
  if (rates.at.length < 2) {
    return (
      <Text c="dimmed" size="sm" className="chart-place">
        The rate against its limit is drawn here from the second report on.
      </Text>
    );
  }
  return <TimeChart label="Bytes per second of the run, against its limit" at={rates.at} series={series} format={rate} />;
}
