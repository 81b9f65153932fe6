/** What holds the fleet back: a pause, failing catalogs, and tables by the first thing that they wait for. */
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../api/client";
import { count, counted } from "../../../format/sizes";
import { Badge } from "../../../parts/badges";
import { PageLink } from "../../../parts/links";
import { Answer, Section } from "../../../parts/states";
import { Ago, Time } from "../../../parts/Time";
import { heldQuery, MOST_HELD } from "../fleetQueries";
import { type HeldGroup, heldGroups } from "./holds";

const EXAMPLES = 3;

export function HoldsSection({ breakers, pause }: { breakers: readonly Schemas["OpenBreaker"][]; pause: Schemas["Pause"] | null }) {
  const query = useQuery(heldQuery);
  return (
    <Section title="What holds the fleet back">
      {pause !== null && <Text size="sm" mb="xs">The pause of the fleet: nothing starts until it is resumed.</Text>}
      {breakers.map((breaker) => (
        <BreakerCard key={breaker.catalog} breaker={breaker} />
      ))}
      <Answer query={query} height={160}>
        {({ tables, isCut }) => {
          if (tables.length === 0) {
            return <Text size="sm">No table is due and held back{breakers.length + (pause === null ? 0 : 1) > 0 ? " at present" : ": what is due starts"}.</Text>;
          }
          return (
            <>
              {isCut && <Text size="sm" mb="xs">More than {count(MOST_HELD)} tables are held back; the first {count(tables.length)} are counted.</Text>}
              <ul className="holds">
                {heldGroups(tables).map((group) => (
                  <HoldLine key={group.hold} group={group} />
                ))}
              </ul>
            </>
          );
        }}
      </Answer>
    </Section>
  );
}

function HoldLine({ group }: { group: HeldGroup }) {
  return (
    <li className="card">
      <Text size="sm" fw={600}>
        {group.text}: {counted(group.tables.length, "table")}
      </Text>
      <Text size="sm" c="dimmed">
        {group.next}
      </Text>
      <Text size="sm" component="div" className="wrap-anywhere">
        {group.tables.slice(0, EXAMPLES).map((table, index) => (
          <span key={table.table_id}>
            {index > 0 && ", "}
            <PageLink to="/tables/$tableId" params={{ tableId: table.table_id }} size="sm" title={table.detail ?? ""}>
              <bdi>{table.table.slice(0, 120)}</bdi>
            </PageLink>
          </span>
        ))}
        {group.tables.length > EXAMPLES && ` and ${count(group.tables.length - EXAMPLES)} more`}
      </Text>
    </li>
  );
}

export function BreakerCard({ breaker }: { breaker: Schemas["OpenBreaker"] }) {
  return (
    <div className="card breaker" role="group" aria-label={`Failing catalog ${breaker.catalog}`}>
      <Text size="sm" fw={600} component="div">
        <Badge tone="bad">failing</Badge>{" "}
        <PageLink to="/catalogs/$name" params={{ name: breaker.catalog }}>
          <bdi>{breaker.catalog}</bdi>
        </PageLink>
      </Text>
      <Text size="sm" className="wrap-anywhere">
        Runs of several tables failed in a row, the last one <Ago at={breaker.failed_at} />: {breaker.reason.replaceAll("_", " ")}.
      </Text>
      <Text size="sm" c="dimmed">
        {breaker.probe_until === null ? (
          <>No run starts automatically before <Time at={breaker.open_until} />; then one run tests the catalog.</>
        ) : (
          <>One run tests the catalog now, until <Time at={breaker.probe_until} />.</>
        )}{" "}
        Opened {counted(breaker.times_open, "time")} in a row. Check the catalog; resuming it closes the breaker at once.
      </Text>
    </div>
  );
}
