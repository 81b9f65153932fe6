/** Signals that other systems sent, by kind. */
import { Button, Code, SegmentedControl, SimpleGrid, Text, TextInput } from "@mantine/core";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH } from "../../api/queries";
import { commandLine } from "../../format/commands";
import { fromLocalInput, toLocalInput } from "../../format/localInput";
import { Badge } from "../../parts/badges";
import { CommittedInput } from "../../parts/CommittedInput";
import { CopyAs } from "../../parts/CopyAs";
import { PageLink } from "../../parts/links";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Answer, Empty, PageHead } from "../../parts/states";
import { Time } from "../../parts/Time";
import { usePages } from "../../parts/usePages";
import { useUrlState } from "../../parts/useUrlState";
import { isKind, type Kind, KINDS, summaryOf } from "./signals";

type Signal = Schemas["Signal"];
export const SEARCH = { kind: "commit", table: "", since: "", until: "" };

const COLUMNS: readonly Column<Signal>[] = [
  { key: "at", title: "Received", cell: (signal) => <Time at={signal.at} /> },
  {
    key: "table",
    title: "About",
    cell: (signal) =>
      signal.table_id === null ? (
        "the fleet"
      ) : (
        <PageLink to="/tables/$tableId" params={{ tableId: signal.table_id }} size="sm">
          {signal.table_id}
        </PageLink>
      ),
  },
  {
    key: "what",
    title: "Content",
    cell: (signal) => {
      const text = summaryOf(signal.signal);
      return <span className="cut" title={text.slice(0, 2000)}>{text}</span>;
    },
  },
  { key: "by", title: "Sent by", cell: (signal) => <span className="cut">{signal.sent_by}</span> },
  {
    key: "acted",
    title: "Effect",
    cell: (signal) => (signal.acted_on ? <Badge tone="good">acted on</Badge> : <Badge tone="quiet" title="This version shows such signals and does not act on them">shown only</Badge>),
  },
];

export default function SignalsPage() {
  const [state, setUrl] = useUrlState(SEARCH);
  const kind: Kind = isKind(state.kind) ? state.kind : "commit";
  const query = {
    kind,
    ...(state.table === "" ? {} : { table_id: state.table }),
    ...(state.since === "" ? {} : { since: state.since }),
    ...(state.until === "" ? {} : { until: state.until }),
  };
  const pages = usePages(
    ["signals", query],
    (token, signal) => packhouse.get("/v1/signals", { params: { query: { ...query, page_size: 100, ...(token === undefined ? {} : { page_token: token }) } }, signal }),
    { refetchMs: REFRESH.list },
  );
  return (
    <>
      <PageHead title="Signals" sub="What other systems reported; the newest thousand of each kind are kept">
        <CopyAs
          request={{ method: "GET", path: `/v1/signals?${new URLSearchParams(query).toString()}` }}
          cli={commandLine("packhouse", "signals", "list", kind, state.table !== "" && ["--table", state.table])}
        />
      </PageHead>
      <Filters kind={kind} state={state} onChange={setUrl} />
      <Answer query={pages.query as never} height={300}>
        {() =>
          pages.items.length === 0 ? (
            <NoSignal kind={kind} state={state} onClear={() => setUrl({ table: "", since: "", until: "" })} />
          ) : (
            <RowsTable label={`Signals: ${KINDS[kind].label}`} columns={COLUMNS} rows={pages.items} rowKey={(signal) => String(signal.id)} listKey={pages.listKey} onMore={pages.more} isFetchingMore={pages.isFetchingMore} />
          )
        }
      </Answer>
    </>
  );
}

function Filters({ kind, state, onChange }: { kind: Kind; state: typeof SEARCH; onChange: (patch: Partial<typeof SEARCH>) => void }) {
  return (
    <>
      <div style={{ overflowX: "auto" }}>
        <SegmentedControl aria-label="Kind of signal" value={kind} onChange={(value) => onChange({ kind: value })} data={Object.entries(KINDS).map(([value, { label }]) => ({ value, label }))} />
      </div>
      <Text size="sm" c="dimmed" my="xs">
        {KINDS[kind].about}
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 3 }} mb="md" role="search" aria-label="Filters of signals">
        <CommittedInput
          label="Table"
          description="Id or address; empty: signals about the whole fleet"
          placeholder="lake.sales.orders"
          value={state.table}
          onCommit={(table) => onChange({ table })}
        />
        {(["since", "until"] as const).map((name) => (
          <TextInput
            key={name}
            label={name === "since" ? "From" : "Before"}
            description="In your time zone"
            type="datetime-local"
            value={toLocalInput(state[name])}
            onChange={(event) => onChange({ [name]: fromLocalInput(event.currentTarget.value) })}
          />
        ))}
      </SimpleGrid>
    </>
  );
}

function NoSignal({ kind, state, onClear }: { kind: Kind; state: typeof SEARCH; onClear: () => void }) {
  const isFiltered = state.since !== "" || state.until !== "";
  const about = state.table === "" ? "the whole fleet" : state.table.slice(0, 200);
  const table = state.table === "" ? " --table lake.sales.orders" : ` --table ${state.table.slice(0, 200)}`;
  return (
    <Empty title={isFiltered ? "No signal in this time" : `No signal of this kind about ${about}`}>
      {isFiltered ? (
        <Button variant="default" size="xs" onClick={onClear}>
          Clear the filters
        </Button>
      ) : (
        <>
          <p>
            {state.table === "" && "Signals about one table appear when you name the table above. "}Writers, query engines and schedulers send them; operators may:
          </p>
          <Code block className="wrap-anywhere" style={{ textAlign: "left" }}>{`packhouse signals send ${kind} ${KINDS[kind].example}${table}`}</Code>
        </>
      )}
    </Empty>
  );
}
