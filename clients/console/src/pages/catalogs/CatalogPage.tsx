/** One catalog: its connection and check, the tables that it has, and who may use it. */
import { Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { REFRESH } from "../../api/queries";
import { Badge } from "../../parts/badges";
import { Answer, PageHead } from "../../parts/states";
import { Time } from "../../parts/Time";
import { useUrlState } from "../../parts/useUrlState";
import { fleetQuery } from "../fleet/fleetQueries";
import { BreakerCard } from "../fleet/holds/HoldsSection";
import { PauseNotice } from "../fleet/holds/PauseNotice";
import "../fleet/fleet.css";
import { CatalogActions } from "./CatalogActions";
import { type Catalog, catalogQuery } from "./catalogQueries";
import { CHECK_STATE, ConnectionPanel } from "./ConnectionPanel";
import { DISCOVER_STATE, DiscoverPanel } from "./discover/DiscoverPanel";
import { GrantsPanel } from "./grants/GrantsPanel";

export const SEARCH = { part: "connection", ...CHECK_STATE, ...DISCOVER_STATE };
const PARTS = ["connection", "discover", "grants"];

export default function CatalogPage() {
  const { name = "" } = useParams({ strict: false }) as { name?: string };
  const query = useQuery(catalogQuery(name));
  const catalog = query.data;
  const fleet = useQuery({ ...fleetQuery, refetchInterval: REFRESH.list });
  const breaker = fleet.data?.fleet.breakers.find((one) => one.catalog === name);
  return (
    <>
      <PageHead title={name} sub={catalog === undefined ? "Catalog" : <Sub catalog={catalog} />}>
        {catalog !== undefined && <CatalogActions catalog={catalog} isFailing={breaker !== undefined} />}
      </PageHead>
      <Answer query={query} height={500}>
        {(found) => (
          <>
            {found.pause !== null && <PauseNotice pause={found.pause} whole="this catalog" />}
            {breaker !== undefined && <BreakerCard breaker={breaker} />}
            <Parts catalog={found} />
          </>
        )}
      </Answer>
    </>
  );
}

function Sub({ catalog }: { catalog: Catalog }) {
  return (
    <>
      Catalog of {catalog.format} tables, changed <Time at={catalog.updated_at} />{" "}
      {catalog.pause !== null && <Badge tone="waiting">paused</Badge>}
    </>
  );
}

function Parts({ catalog }: { catalog: Catalog }) {
  const [{ part }, setUrl] = useUrlState(SEARCH);
  return (
    <Tabs
      value={PARTS.includes(part) ? part : "connection"}
      onChange={(value) => setUrl({ part: value ?? "connection" }, { push: true })}
      keepMounted={false}
    >
      <Tabs.List mb="md" aria-label="Parts of the catalog">
        <Tabs.Tab value="connection">Connection and check</Tabs.Tab>
        <Tabs.Tab value="discover">Discover tables</Tabs.Tab>
        <Tabs.Tab value="grants">Grants</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="connection">
        <ConnectionPanel catalog={catalog} />
      </Tabs.Panel>
      <Tabs.Panel value="discover">
        <DiscoverPanel catalog={catalog} />
      </Tabs.Panel>
      <Tabs.Panel value="grants">
        <GrantsPanel catalog={catalog} />
      </Tabs.Panel>
    </Tabs>
  );
}
