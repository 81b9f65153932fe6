/** Rewrites at work: their rate over the last ten minutes, against the limits. */
import { Progress, Text } from "@mantine/core";
import { useMemo } from "react";
import type { Schemas } from "../../../api/client";
import { count, rate, share } from "../../../format/sizes";
import { Section } from "../../../parts/states";
import { TimeChart } from "../../../parts/TimeChart";
import { type RateSample, rateSeries, tenMinutes } from "./rateHistory";

/** Ticks below one byte per second appear only while nothing moves: they stay empty. */
const axisRate = (value: number | null | undefined) => (value !== null && value !== undefined && value > 0 && value < 1 ? "" : rate(value));

export function RatesSection({ fleet, samples }: { fleet: Schemas["Fleet"]; samples: readonly RateSample[] }) {
  const whole = useMemo(() => tenMinutes(samples), [samples]);
  const at = useMemo(() => whole.map((sample) => sample.at), [whole]);
  const series = useMemo(() => rateSeries(whole), [whole]);
  return (
    <Section title="Rate of running rewrites">
      <TimeChart
        label="Bytes read and written per second by running rewrites, stacked by catalog, and the fleet's limit"
        at={at}
        series={series}
        format={axisRate}
        height={200}
      />
      <Text size="xs" c="dimmed" mb="xs">
        Read + written, of all tables, since this page was opened; ten minutes at most.
      </Text>
      {fleet.rates === null ? (
        <Text size="sm" role="status">
          The present rate is not known: Redis does not answer. Rewrites go on at the rate that they had.
        </Text>
      ) : (
        <RatesTable rates={fleet.rates} />
      )}
    </Section>
  );
}

function RatesTable({ rates }: { rates: readonly Schemas["LiveRate"][] }) {
  return (
    <div className="rows" tabIndex={0} role="region" aria-label="Present rates and limits" style={{ maxHeight: 220 }}>
      <table>
        <caption className="visually-hidden">Present rates and limits</caption>
        <thead>
          <tr>
            <th scope="col">Catalog</th>
            <th scope="col" className="right">Runs</th>
            <th scope="col" className="right">Rate</th>
            <th scope="col" className="right">Limit</th>
            <th scope="col" style={{ minWidth: 90 }}>Used</th>
            <th scope="col" className="right">Requests</th>
          </tr>
        </thead>
        <tbody>
          {rates.map((one) => (
            <RateRow key={one.catalog ?? "\u0000all"} one={one} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function RateRow({ one }: { one: Schemas["LiveRate"] }) {
  const limit = one.bytes_per_second_limit;
  const used = limit === null || limit === 0 ? null : one.bytes_per_second / limit;
  const requests = one.requests_per_second_limit;
  return (
    <tr>
      <th scope="row">
        <span className="cut">{one.catalog ?? "All together"}</span>
      </th>
      <td className="right">{count(one.runs)}</td>
      <td className="right">{rate(one.bytes_per_second)}</td>
      <td className="right">{limit === null ? "no limit" : rate(limit)}</td>
      <td>
        {used === null ? (
          "–"
        ) : (
          <>
            <Progress value={Math.min(100, used * 100)} size="sm" aria-label={`Used of the limit: ${share(used)}`} />
          </>
        )}
      </td>
      <td className="right">{requests === null ? "no limit" : `≤ ${count(requests)}/s`}</td>
    </tr>
  );
}
