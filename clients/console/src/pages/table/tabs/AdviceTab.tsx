/** Recommended changes of the policy with their reasons; applying one opens the policy editor with it. */
import { Code, Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Schemas } from "../../../api/client";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { bytes, count, counted, share } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { CopyAs } from "../../../parts/CopyAs";
import { PolicyLink } from "../../../parts/links";
import { Answer, Section } from "../../../parts/states";
import { Bar } from "../Bar";
import { adviceQuery, explainQuery, type Table, upkeepQuery } from "../tableQueries";
import { layoutSuggestion, neverDueSuggestion, type Suggestion, upkeepSuggestions } from "./advice";

export function AdviceTab({ table }: { table: Table }) {
  const query = useQuery(adviceQuery(table.id));
  return (
    <Answer query={query} height={500}>
      {(advice) => (
        <>
          <Section
            title="Recommended changes"
            aside={
              <CopyAs
                request={{ method: "GET", path: `/v1/tables/${encodeURIComponent(table.id)}/advice` }}
                cli={commandLine("packhouse", "tables", "advice", tableAddress(table))}
              />
            }
          >
            <Suggestions table={table} layout={advice.layout} />
          </Section>
          <div className="two-columns">
            <Section title="Queries and layout">
              <Queries layout={advice.layout} />
            </Section>
            <Section title="Cost of rewriting">
              <Cost advice={advice} />
            </Section>
          </div>
        </>
      )}
    </Answer>
  );
}

function Suggestions({ table, layout }: { table: Table; layout: Schemas["LayoutAdvice"] }) {
  const explained = useQuery(explainQuery(table.id));
  const upkeep = useQuery(upkeepQuery(table.id));
  const settings = explained.data?.settings ?? {};
  const found: Suggestion[] = [
    layoutSuggestion(layout, settings),
    neverDueSuggestion(explained.data?.triggers ?? null, settings),
    ...upkeepSuggestions(upkeep.data?.operations ?? []),
  ].filter((one) => one !== null);
  const isWaiting = explained.isPending || upkeep.isPending;
  if (found.length === 0) {
    return (
      <Text size="sm" role="status">
        {isWaiting
          ? "Comparing the advice with the settings of the table."
          : explained.isError || upkeep.isError
            ? "The settings of the table could not be read, so no change is recommended. Try again later."
            : "Nothing to change: the settings suit what is known of the table's queries and writes."}
      </Text>
    );
  }
  return (
    <div className="two-columns">
      {found.map((one) => (
        <section key={one.key} className="card" aria-label={one.title}>
          <Title order={3} size="h5" className="wrap-anywhere">
            {one.title}
          </Title>
          <Text size="sm" my="xs" className="wrap-anywhere">
            {one.because}
          </Text>
          <Code block className="wrap-anywhere" style={{ whiteSpace: "pre-wrap", maxHeight: 180 }} tabIndex={0}>
            {JSON.stringify(one.patch, null, 1)}
          </Code>
          <Group mt="xs">
            <PolicyLink tableId={table.id} apply={one.patch} size="sm">
              Apply in the policy editor
            </PolicyLink>
          </Group>
          <Text size="xs" c="dimmed">
            The editor shows what would change before anything is saved.
          </Text>
        </section>
      ))}
    </div>
  );
}

function Queries({ layout }: { layout: Schemas["LayoutAdvice"] }) {
  return (
    <>
      <Text size="sm" mb="xs" className="wrap-anywhere">
        {layout.because}
      </Text>
      {layout.query_count === 0 ? (
        <Text size="sm" c="dimmed">
          Query engines report which columns they filter by with POST /v1/signals of kind filters. The layout is advised from them.
        </Text>
      ) : (
        <>
          <Facts
            rows={[
              ["Queries", count(layout.query_count)],
              ["Name all partition columns", share(layout.partition_query_share)],
              ["Without a filter", share(layout.full_scan_share)],
            ]}
          />
          <dl className="bars" style={{ marginTop: 8 }}>
            {layout.columns.map(({ column, query_share: part }) => (
              <div key={column} className="bars-row">
                <dt className="cut" title={column}>
                  {column}
                </dt>
                <dd>
                  <Bar fill={part} />
                </dd>
                <dd className="right">{share(part)} of queries</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </>
  );
}

function Cost({ advice: { upkeep, writes, ...advice } }: { advice: Schemas["TableAdvice"] }) {
  return (
    <>
      <Facts
        rows={[
          ["Observed for", duration(writes.seconds)],
          ["Written by others", `${bytes(writes.ingested_bytes)} in ${counted(writes.commits, "commit")}`],
          ["Commits that change rows", `${count(writes.update_commits)} (${share(upkeep.update_share)})`],
          ["Rewritten", bytes(writes.rewritten_bytes)],
          ["Rewritten for each byte written", upkeep.write_amplification === null ? "–" : count(Number(upkeep.write_amplification.toPrecision(3)))],
          ["Rewritten per day", bytes(upkeep.rewritten_bytes_per_day)],
          ["Kept until snapshots expire", `${bytes(upkeep.extra_storage_bytes)} for ${duration(advice.expiry_seconds)}${advice.expiry_is_assumed ? " (the default of the format; the policy sets none)" : ""}`],
        ]}
      />
      {upkeep.because.map((line) => (
        <Text key={line} size="sm" mt="xs" className="wrap-anywhere">
          {line}
        </Text>
      ))}
    </>
  );
}

function Facts({ rows }: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {rows.map(([name, value]) => (
        <div key={name} style={{ display: "contents" }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
