/** Announced deletions and those at work: what each deletes, when, why, and how to stop it. */
import { Box, Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { count } from "../../format/sizes";
import { Badge } from "../../parts/badges";
import { PageLink, PolicyLink, RunLink } from "../../parts/links";
import { Section } from "../../parts/states";
import { Time, useNow } from "../../parts/Time";
import { operationName } from "../../api/operations";
import { askedText, type Deletion, deletedText, isAnnounced, isAutomatic, needsPerson, startText } from "./deletions";
import { AcknowledgeButton, UndoButton } from "./UndoButton";

const SHOWN = 20;

export function LiveDeletions({ deletions }: { deletions: readonly Deletion[] }) {
  const [shown, setShown] = useState(SHOWN);
  if (deletions.length === 0) return null;
  return (
    <Section title="Announced and at work">
      <ul className="deletions">
        {deletions.slice(0, shown).map((deletion) => (
          <LiveDeletion key={deletion.id} deletion={deletion} />
        ))}
      </ul>
      {deletions.length > shown && (
        <Button size="xs" variant="default" mt="xs" onClick={() => setShown(shown + SHOWN * 5)}>
          Show more of the {count(deletions.length)}
        </Button>
      )}
    </Section>
  );
}

function LiveDeletion({ deletion }: { deletion: Deletion }) {
  const { operation, id } = deletion;
  return (
    <li className="card">
      <Group justify="space-between" align="flex-start" gap="xs" wrap="nowrap">
        <Box miw={0}>
          <Text size="sm" component="div" fw={600} className="wrap-anywhere">
            <StateBadge deletion={deletion} />{" "}
            {operationName(operation)} of <TableName deletion={deletion} />
          </Text>
          <When deletion={deletion} />
        </Box>
        <Group gap="xs" justify="flex-end">
          {needsPerson(deletion) && <AcknowledgeButton deletion={deletion} />}
          <UndoButton deletion={deletion} />
        </Group>
      </Group>
      <Text size="sm" mt={4} className="wrap-anywhere">
        <What deletion={deletion} />
      </Text>
      <Text size="sm" c="dimmed" component="div" mt={4} className="wrap-anywhere">
        <Cause deletion={deletion} /> · <RunLink runId={id} size="sm">Run</RunLink>
      </Text>
    </li>
  );
}

function StateBadge({ deletion }: { deletion: Deletion }) {
  if (needsPerson(deletion)) return <Badge tone="bad">to acknowledge</Badge>;
  return isAnnounced(deletion) ? <Badge tone="waiting">announced</Badge> : <Badge tone="busy">at work</Badge>;
}

/** What it deletes: as announced, as it asks for, or so far. */
function What({ deletion }: { deletion: Deletion }) {
  const { acknowledgement: asked, summary, result } = deletion;
  const sofar = deletedText(result);
  if (!isAnnounced(deletion)) return `Deleted so far: ${sofar}.`;
  const planned = needsPerson(deletion) && asked !== null ? askedText(asked) : summary;
  return sofar === "nothing" ? planned : `${planned} Deleted so far: ${sofar}.`;
}

export function TableName({ deletion: { table, table_id: id } }: { deletion: Deletion }) {
  if (table === null) return <>{id} (not registered any more)</>;
  return (
    <PageLink to="/tables/$tableId" params={{ tableId: id }} inherit title={table}>
      <bdi>{table}</bdi>
    </PageLink>
  );
}

/** When it starts, and until when an undo keeps everything. */
function When({ deletion }: { deletion: Deletion }) {
  const nowMs = useNow(1_000);
  if (!isAnnounced(deletion)) return <Text size="sm">It can be stopped; what is deleted by then can't be brought back.</Text>;
  if (needsPerson(deletion)) return <Text size="sm">Nothing more is deleted until a person acknowledges it; it can be undone as well.</Text>;
  const text = startText(deletion, nowMs);
  return (
    <Text size="sm" component="div">
      <strong>{text.slice(0, 1).toUpperCase() + text.slice(1)}</strong>
      {deletion.starts_at !== null && <>, <Time at={deletion.starts_at} /></>}. Until then it can be undone with nothing deleted.
    </Text>
  );
}

/** Why it happens: who submitted it, or which setting. */
function Cause({ deletion }: { deletion: Deletion }) {
  const { announced_at: at, requested_by: by, setting, table_id: id, table, acknowledgement: asked } = deletion;
  return (
    <>
      {isAutomatic(deletion) ? "Automatic" : `Submitted by ${by}`}, announced <Time at={at} />
      {asked?.acknowledged_by && (
        <>
          , acknowledged by {asked.acknowledged_by} <Time at={asked.acknowledged_at} />
        </>
      )}
      {setting !== null && table !== null && (
        <>
          {" "}
          · <PolicyLink tableId={id} size="sm">{setting}</PolicyLink>
        </>
      )}
    </>
  );
}
