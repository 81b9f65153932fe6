/** What will be deleted and when, how to stop it, and what was deleted, with the list of its files. */
import { Group, Select, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { catalogNamesQuery } from "../../api/queries";
import { commandLine } from "../../format/commands";
import { counted } from "../../format/sizes";
import { CommittedInput } from "../../parts/CommittedInput";
import { CopyAs } from "../../parts/CopyAs";
import { Answer, PageHead } from "../../parts/states";
import { useNow } from "../../parts/Time";
import { useUrlState } from "../../parts/useUrlState";
import { type Filters, liveQuery, MOST_LIVE, NO_FILTERS, pathOf } from "./deletionQueries";
import { type Deletion, headline } from "./deletions";
import { EndedDeletions } from "./EndedDeletions";
import { LiveDeletions } from "./LiveDeletions";
import "./deletions.css";

export const SEARCH = { ...NO_FILTERS };

export default function DeletionsPage() {
  const [filters, change] = useUrlState(SEARCH);
  const live = useQuery(liveQuery(filters));
  return (
    <>
      <PageHead title="Deletions" sub="Files and history that are deleted: announced, at work, and ended">
        <CopyAs
          request={{ method: "GET", path: pathOf(filters) }}
          cli={filters.catalog + filters.team === "" ? commandLine("packhouse", "deletions", "list", filters.table !== "" && ["--table", filters.table]) : null}
        />
      </PageHead>
      <FiltersBar filters={filters} onChange={change} />
      <Answer query={live} height={120}>
        {({ deletions, isCut }) => (
          <>
            <Headline deletions={deletions} isCut={isCut} />
            <LiveDeletions deletions={deletions} />
            {isCut && <Text size="sm" mb="lg">The newest {counted(MOST_LIVE, "deletion")} are shown: filter them to see others.</Text>}
          </>
        )}
      </Answer>
      <EndedDeletions filters={filters} />
    </>
  );
}

function Headline({ deletions, isCut }: { deletions: readonly Deletion[]; isCut: boolean }) {
  return (
    <Text size="lg" fw={600} mb="md" className="wrap-anywhere">
      {headline(deletions, isCut, useNow(1_000))}
    </Text>
  );
}

function FiltersBar({ filters, onChange }: { filters: Filters; onChange: (change: Partial<Filters>) => void }) {
  const { data: catalogs = [] } = useQuery(catalogNamesQuery);
  const names = filters.catalog === "" || catalogs.includes(filters.catalog) ? catalogs : [...catalogs, filters.catalog];
  return (
    <Group gap="xs" align="flex-end" mb="md" className="no-print" role="search" aria-label="Filter the deletions">
      <CommittedInput size="xs" label="Table" w={240} placeholder="lake.sales.orders, or its id" value={filters.table} onCommit={(table) => onChange({ table })} />
      <Select size="xs" label="Catalog" w={150} data={names} placeholder="any" clearable searchable value={filters.catalog || null} onChange={(catalog) => onChange({ catalog: catalog ?? "" })} />
      <CommittedInput size="xs" label="Team" w={150} placeholder="any" value={filters.team} onCommit={(team) => onChange({ team })} />
    </Group>
  );
}
