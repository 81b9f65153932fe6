/** Rates, budgets, windows and the schedule that apply to the table. */
import { bytes, count, rate } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Section } from "../../../parts/states";
import { Ago, Time } from "../../../parts/Time";
import type { Explanation } from "../tableQueries";

const limit = (runs: { at_work: number; limit: number | null }) => `${count(runs.at_work)} at work, ${runs.limit === null ? "no limit" : `limit ${count(runs.limit)}`}`;

export function Limits({ explanation: { budgets, windows, schedule } }: { explanation: Explanation }) {
  const day = budgets.bytes_per_day;
  return (
    <Section title="Limits and windows">
      <dl className="facts">
        <dt>Rate of a run</dt>
        <dd>{budgets.bytes_per_second === null ? "no limit" : rate(budgets.bytes_per_second)}</dd>
        <dt>Storage requests</dt>
        <dd>{budgets.requests_per_second === null ? "no limit" : `${count(budgets.requests_per_second)} per second`}</dd>
        <dt>Bytes in 24 hours</dt>
        <dd>
          {day.limit === null ? (
            "no limit"
          ) : (
            <>
              {bytes(day.used)} of {bytes(day.limit)} used
              {day.frees_at !== null && (
                <>
                  ; more is free <Ago at={day.frees_at} />
                </>
              )}
            </>
          )}
        </dd>
        <dt>File groups at a time</dt>
        <dd>{count(budgets.parallel_groups)}</dd>
        <dt>Tasks of the fleet at a time</dt>
        <dd>{budgets.fleet_parallel_groups === null ? "no limit" : count(budgets.fleet_parallel_groups)}</dd>
        <dt>Runs of the catalog</dt>
        <dd>{limit(budgets.parallel_runs.catalog)}</dd>
        <dt>Runs of the fleet</dt>
        <dd>{limit(budgets.parallel_runs.fleet)}</dd>
        <dt>Window</dt>
        <dd>
          {windows.inside ? (
            <>
              in {windows.kind?.replaceAll("_", " ")} until <Time at={windows.ends_at} />
              {windows.reason !== null && `: ${windows.reason}`}
            </>
          ) : windows.next_start === null ? (
            "none ahead"
          ) : (
            <>
              the next begins <Time at={windows.next_start} /> (<Ago at={windows.next_start} />)
            </>
          )}
        </dd>
        <dt>Between automatic runs</dt>
        <dd>
          {schedule.min_interval_seconds === null ? "no minimum" : `at least ${duration(schedule.min_interval_seconds)}`}
          {schedule.last_start_at !== null && (
            <>
              ; the last began <Ago at={schedule.last_start_at} />
            </>
          )}
        </dd>
        {schedule.cron_next_at !== null && (
          <>
            <dt>Extra look</dt>
            <dd>
              {schedule.cron} {schedule.time_zone}: next <Time at={schedule.cron_next_at} />
            </dd>
          </>
        )}
      </dl>
    </Section>
  );
}
