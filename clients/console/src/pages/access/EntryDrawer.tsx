/** One audit entry: the object before and after, and its link of the chain. */
import { Button, Drawer, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schemas } from "../../api/client";
import { count } from "../../format/sizes";
import { Badge } from "../../parts/badges";
import { PageLink } from "../../parts/links";
import { Time } from "../../parts/Time";
import { type Change, changesOf } from "./changes";
import "./access.css";

const MOST_CHANGES = 500;
const TONES = { added: "good", removed: "bad", changed: "busy", same: "quiet" } as const;

export function EntryDrawer({ id, entry, more, onClose }: { id: string; entry: Schemas["AuditEntry"] | undefined; more: (() => void) | undefined; onClose: () => void }) {
  const title = entry === undefined ? `Entry ${id.slice(0, 40)}` : `${entry.action}, entry ${entry.id}`;
  return (
    <Drawer opened onClose={onClose} position="right" size="xl" title={title} closeButtonProps={{ "aria-label": "Close" }}>
      {entry === undefined ? (
        <>
          <Text size="sm">The entry is not among those shown: it is older, or does not fit the filters.</Text>
          {more !== undefined && (
            <Button variant="default" size="xs" mt="sm" onClick={more}>
              Look at older entries
            </Button>
          )}
        </>
      ) : (
        <Entry entry={entry} />
      )}
    </Drawer>
  );
}

function Entry({ entry }: { entry: Schemas["AuditEntry"] }) {
  const changes = changesOf(entry.before, entry.after);
  return (
    <>
      <dl className="entry-facts">
        <Fact name="Time"><Time at={entry.at} /></Fact>
        <Fact name="Caller">{entry.caller}</Fact>
        <Fact name="Object"><ObjectLink object={entry.object} /></Fact>
        <Fact name="Request">{entry.request_id ?? "none: a change by the system"}</Fact>
        <Fact name="Link of the chain">{entry.sequence ?? "not sealed yet"}</Fact>
        <Fact name="Hash"><code>{entry.hash ?? "–"}</code></Fact>
      </dl>
      <Text size="sm" my="sm">
        {stepText(entry)} Secrets are never recorded.
      </Text>
      {changes.length === 0 ? <Text size="sm" c="dimmed">The entry has no values.</Text> : <ChangesTable changes={changes} />}
    </>
  );
}

function stepText({ before, after }: Schemas["AuditEntry"]): string {
  if (before === null) return "There was nothing before: it was created, or began.";
  return after === null ? "There is nothing afterwards: it was deleted, or ended." : "Values that changed come first.";
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}

/** Link an object to its page where its id shows what it is. */
function ObjectLink({ object }: { object: string }) {
  if (/^tbl_[a-z0-9]+$/.test(object)) return <PageLink to="/tables/$tableId" params={{ tableId: object }} size="sm">{object}</PageLink>;
  if (/^run_[a-z0-9]+$/.test(object)) return <PageLink to="/runs/$runId" params={{ runId: object }} size="sm">{object}</PageLink>;
  return <>{object}</>;
}

function ChangesTable({ changes }: { changes: readonly Change[] }) {
  return (
    <>
      <table className="changes">
        <caption className="visually-hidden">Values before and after</caption>
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {changes.slice(0, MOST_CHANGES).map((change) => (
            <tr key={change.path}>
              <th scope="row" className="wrap-anywhere">
                {change.path} <Badge tone={TONES[change.kind]}>{change.kind}</Badge>
              </th>
              <td className="wrap-anywhere">{change.kind === "added" ? "–" : change.before}</td>
              <td className="wrap-anywhere">{change.kind === "removed" ? "–" : change.after}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {changes.length > MOST_CHANGES && <Text size="xs" c="dimmed">The first {count(MOST_CHANGES)} of {count(changes.length)} values.</Text>}
    </>
  );
}
