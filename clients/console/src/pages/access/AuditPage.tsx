/** The audit log: who changed what, with the state of its hash chain. */
import { Button, Group, SimpleGrid, TextInput } from "@mantine/core";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH, useRole } from "../../api/queries";
import { commandLine } from "../../format/commands";
import { fromLocalInput, toLocalInput } from "../../format/localInput";
import { Badge } from "../../parts/badges";
import { CommittedInput } from "../../parts/CommittedInput";
import { CopyAs } from "../../parts/CopyAs";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Answer, Empty, PageHead, Waiting } from "../../parts/states";
import { Time } from "../../parts/Time";
import { usePages } from "../../parts/usePages";
import { useUrlState } from "../../parts/useUrlState";
import { ChainSection } from "./ChainSection";
import { EntryDrawer } from "./EntryDrawer";
import { Forbidden } from "./Forbidden";

type Entry = Schemas["AuditEntry"];
export const SEARCH = { caller: "", action: "", object: "", since: "", until: "", entry: "" };
const FILTERS = ["caller", "action", "object", "since", "until"] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

const given = (filters: Filters): Partial<Filters> =>
  Object.fromEntries(FILTERS.filter((name) => filters[name] !== "").map((name) => [name, filters[name]]));

export default function AuditPage() {
  const { role, has } = useRole();
  const [filters] = useUrlState(SEARCH);
  const query = new URLSearchParams(given(filters)).toString();
  const words = Object.entries(given(filters)).flatMap(([name, value]) =>
    name === "since" || name === "until" ? [`--${name}`, `${toLocalInput(value)}:00`] : [`--${name}`, value],
  );
  return (
    <>
      <PageHead title="Audit" sub="Who changed what, newest first">
        <CopyAs request={{ method: "GET", path: `/v1/audit${query === "" ? "" : `?${query}`}` }} cli={commandLine("packhouse", "audit", words)} />
      </PageHead>
      {role === undefined ? <Waiting height={400} /> : has("admin") ? <Log /> : <Forbidden what="the audit log" />}
    </>
  );
}

function Log() {
  const [filters, setUrl] = useUrlState(SEARCH);
  const query = given(filters);
  const pages = usePages(
    ["audit", query],
    (token, signal) => packhouse.get("/v1/audit", { params: { query: { ...query, page_size: 100, ...(token === undefined ? {} : { page_token: token }) } }, signal }),
    { refetchMs: REFRESH.list },
  );
  const isFiltered = Object.keys(query).length > 0;
  const clear = () => setUrl({ caller: "", action: "", object: "", since: "", until: "" });
  const first = pages.query.data?.pages[0] as Schemas["AuditList"] | undefined; // `PageOf` lacks the chain
  return (
    <>
      <FilterFields filters={filters} isFiltered={isFiltered} onChange={setUrl} onClear={clear} />
      <Answer query={pages.query as never} height={400}>
        {() => (
          <>
            {first !== undefined && <ChainSection head={first.head} anchor={first.anchor} entries={pages.items} isFiltered={isFiltered} hasMore={pages.hasMore} />}
            {pages.items.length === 0 ? (
              <Empty title={isFiltered ? "No change fits these filters" : "Nothing was changed yet"}>
                {isFiltered ? (
                  <Button variant="default" size="xs" onClick={clear}>
                    Clear the filters
                  </Button>
                ) : (
                  "Each change of a table, policy, run, catalog, limit or key appears here."
                )}
              </Empty>
            ) : (
              <RowsTable
                label="Audit entries"
                columns={columns((id) => setUrl({ entry: String(id) }, { push: true }))}
                rows={pages.items}
                rowKey={(entry) => String(entry.id)}
                listKey={pages.listKey}
                onMore={pages.more}
                isFetchingMore={pages.isFetchingMore}
              />
            )}
            {filters.entry !== "" && (
              <EntryDrawer
                id={filters.entry}
                entry={pages.items.find((entry) => String(entry.id) === filters.entry)}
                more={pages.more}
                onClose={() => setUrl({ entry: "" })}
              />
            )}
          </>
        )}
      </Answer>
    </>
  );
}

function FilterFields({ filters, isFiltered, onChange, onClear }: { filters: Filters; isFiltered: boolean; onChange: (patch: Partial<Filters>) => void; onClear: () => void }) {
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} mb="sm" role="search" aria-label="Filters of the audit log">
        <CommittedInput label="Caller" placeholder="key:etl" value={filters.caller} onCommit={(caller) => onChange({ caller })} />
        <CommittedInput label="Action" placeholder="table.pause" value={filters.action} onCommit={(action) => onChange({ action })} />
        <CommittedInput label="Object" placeholder="Id or name" value={filters.object} onCommit={(object) => onChange({ object })} />
        {(["since", "until"] as const).map((name) => (
          <TextInput
            key={name}
            label={name === "since" ? "From" : "Before"}
            type="datetime-local"
            value={toLocalInput(filters[name])}
            onChange={(event) => onChange({ [name]: fromLocalInput(event.currentTarget.value) })}
          />
        ))}
      </SimpleGrid>
      <Group mb="sm" mih={30}>
        {isFiltered && (
          <Button variant="default" size="xs" onClick={onClear}>
            Clear the filters
          </Button>
        )}
      </Group>
    </>
  );
}

const columns = (open: (id: number) => void): readonly Column<Entry>[] => [
  { key: "at", title: "Time", cell: (entry) => <Time at={entry.at} /> },
  { key: "caller", title: "Caller", cell: (entry) => <span className="cut">{entry.caller}</span> },
  { key: "action", title: "Action", cell: (entry) => entry.action },
  { key: "object", title: "Object", cell: (entry) => <span className="cut">{entry.object}</span> },
  {
    key: "sealed",
    title: "Chain",
    cell: (entry) =>
      entry.is_sealed ? (
        <Badge tone="good" title={entry.hash ?? ""}>{`sealed ${entry.sequence ?? ""}`}</Badge>
      ) : (
        <Badge tone="waiting" title="The chain covers it within about a second, while a coordinator runs">not sealed yet</Badge>
      ),
  },
  {
    key: "open",
    title: "Change",
    cell: (entry) => (
      <Button size="compact-xs" variant="default" aria-label={`Show the change ${entry.action} of ${entry.object.slice(0, 80)}, entry ${entry.id}`} onClick={() => open(entry.id)}>
        Show
      </Button>
    ),
  },
];
