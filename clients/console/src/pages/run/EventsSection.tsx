/** Events of a run, newest first, as they happen; one of them with all its details. */
import { Button, Modal, NativeSelect, Text } from "@mantine/core";
import { useMemo } from "react";
import { count } from "../../format/sizes";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Empty, Section, Waiting } from "../../parts/states";
import { Time } from "../../parts/Time";
import { isObject } from "./report/documents";
import type { RunEvent } from "./live/history";
import type { LiveView } from "./live/runLive";
import { Structure } from "./report/Structure";
import { eventText, reasonText } from "./words";

const CHOICES = [
  { value: "", label: "All events" },
  { value: "states", label: "Changes of state and waits" },
  { value: "groups", label: "Groups" },
  { value: "commits", label: "Commits and proofs" },
];
const STEPS: ReadonlySet<string> = new Set(["held_back", "let_go", "cancel_requested"]);

function isOfKind(event: RunEvent, choice: string): boolean {
  if (choice === "states") return event.to_state !== null || STEPS.has(event.kind);
  if (choice === "groups") return event.kind.startsWith("group_");
  if (choice === "commits") return event.kind.startsWith("commit") || event.kind === "verification_failed";
  return true;
}

export function EventsSection({
  live,
  choice,
  selected,
  onChange,
}: {
  live: LiveView;
  choice: string;
  /** Sequence of the event whose details are shown; empty without one. */
  selected: string;
  onChange: (change: { events?: string; event?: string }) => void;
}) {
  const { events, eventsDropped } = live.history;
  const shown = useMemo(() => events.filter((event) => isOfKind(event, choice)), [events, choice]);
  const columns = useMemo(() => columnsOf((event) => onChange({ event: String(event.sequence) })), [onChange]);
  const one = events.find(({ sequence }) => String(sequence) === selected);
  const filter = (
    <NativeSelect
      size="xs"
      aria-label="Which events"
      data={CHOICES}
      value={choice}
      onChange={(event) => onChange({ events: event.currentTarget.value })}
      className="no-print"
    />
  );
  return (
    <Section title="Events" aside={filter}>
      <Content live={live} shown={shown} columns={columns} />
      {eventsDropped > 0 && (
        <Text size="sm" c="dimmed" mt="xs">
          The newest {count(events.length)} events are shown; {count(eventsDropped)} older ones are left out. `packhouse runs events`
          lists all.
        </Text>
      )}
      <Modal
        opened={selected !== ""}
        onClose={() => onChange({ event: "" })}
        title={one === undefined ? `Event ${selected}` : `Event ${one.sequence}: ${eventText(one.kind)}`}
        size="lg"
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {one === undefined ? <Text>The page has no such event, or not any more.</Text> : <Structure value={one} />}
      </Modal>
    </Section>
  );
}

function Content({ live, shown, columns }: { live: LiveView; shown: readonly RunEvent[]; columns: readonly Column<RunEvent>[] }) {
  if (live.history.sequence === 0) return <Waiting height={360} label="Loading events" />;
  if (shown.length === 0) return <Empty title="No such events">Choose “All events” to see the others.</Empty>;
  return <RowsTable label="List of events" columns={columns} rows={shown} rowKey={({ sequence }) => String(sequence)} height={360} />;
}

function columnsOf(onOpen: (event: RunEvent) => void): readonly Column<RunEvent>[] {
  return [
    { key: "sequence", title: "No.", width: "60px", align: "right", cell: (event) => count(event.sequence) },
    { key: "at", title: "Time", width: "170px", cell: (event) => <Time at={event.at} /> },
    { key: "kind", title: "Event", width: "190px", cell: (event) => eventText(event.kind) },
    { key: "state", title: "State", width: "180px", cell: (event) => stateText(event) },
    { key: "about", title: "About", cell: (event) => <AboutCell event={event} /> },
    {
      key: "details",
      title: "Details",
      width: "90px",
      cell: (event) => (
        <Button size="compact-xs" variant="default" aria-label={`Details of event ${event.sequence}`} onClick={() => onOpen(event)}>
          Details
        </Button>
      ),
    },
    { key: "attempt", title: "Attempt", align: "right", width: "80px", cell: (event) => count(event.attempt) },
    { key: "actor", title: "By", width: "180px", cell: (event) => <ActorCell actor={event.actor} /> },
  ];
}

function ActorCell({ actor }: { actor: string }) {
  return (
    <span className="cut" title={actor}>
      {actor}
    </span>
  );
}

function stateText(event: RunEvent): string {
  if (event.to_state === null) return "–";
  return event.from_state === null ? event.to_state : `${event.from_state} → ${event.to_state}`;
}

function AboutCell({ event }: { event: RunEvent }) {
  const text = aboutText(event);
  return (
    <span className="cut" title={text}>
      {text}
    </span>
  );
}

/** Return the gist of an event's details in a line. */
function aboutText({ details, reason }: RunEvent): string {
  if (typeof details["detail"] === "string") return details["detail"];
  if (typeof details["group"] === "number") return `group ${details["group"]}`;
  if (isObject(details["reasons"])) {
    return Object.entries(details["reasons"]).map(([group, why]) => `group ${group}: ${reasonText(String(why))}`).join("; ");
  }
  if (Array.isArray(details["groups"])) {
    const groups = details["groups"];
    return groups.length <= 8 ? `groups ${groups.join(", ")}` : `${count(groups.length)} groups`;
  }
  if (reason !== null) return reasonText(reason);
  const facts = Object.entries(details).filter(([, value]) => typeof value !== "object");
  return facts.length === 0 ? "–" : facts.map(([name, value]) => `${name.replaceAll("_", " ")}: ${String(value)}`).join(", ");
}
