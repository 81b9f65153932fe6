/** Ask a person to acknowledge what a change deletes, and send the change again with that acknowledgement. */
import { Button, Group, List, Modal, Stack, Text, TextInput } from "@mantine/core";
import { ApiError } from "@packhouse/client";
import { useState, useSyncExternalStore } from "react";
import type { Schemas } from "../api/client";
import { NotAcknowledged } from "../api/problems";
import { bytes, counted } from "../format/sizes";

type Deletions = Omit<Schemas["Deletions"], "acknowledge">;

interface Question {
  readonly deletions: Deletions;
  /** What the request does besides, such as `Save`: the first word of the button. */
  readonly verb: string;
  readonly answer: (isAcknowledged: boolean) => void;
}

let question: Question | null = null;
const listeners = new Set<() => void>();

function ask(next: Question | null): void {
  question = next;
  for (const listener of listeners) listener();
}

/** Send a request; if it has to be acknowledged, ask, and send it again with the token. Throws `NotAcknowledged`. */
export async function acknowledged<Result>(send: (acknowledge: string | undefined) => Promise<Result>, { token, verb = "Save" }: { token?: string; verb?: string } = {}): Promise<Result> {
  try {
    return await send(token);
  } catch (error) {
    const details = error instanceof ApiError ? (error.problem.details as { deletions?: Deletions; acknowledge?: string } | undefined) : undefined;
    if (details?.deletions === undefined || details.acknowledge === undefined) throw error;
    const { deletions, acknowledge } = details;
    const isAcknowledged = await new Promise<boolean>((answer) => {
      ask({ deletions, verb, answer });
    });
    if (!isAcknowledged) throw new NotAcknowledged("What would be deleted was not acknowledged.");
    return acknowledged(send, { token: acknowledge, verb });
  }
}

/** What has to be typed: the address of the table, or the number of tables. */
export function typedText({ table_count: count, by_table: tables }: Pick<Deletions, "table_count" | "by_table">): string {
  return count === 1 && tables[0] !== undefined ? tables[0].address : `delete from ${count} tables`;
}

/** The dialog; mounted once for the whole console. */
export function AcknowledgeDialog() {
  const asked = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => question,
  );
  return asked === null ? null : <Dialog {...asked} />;
}

function Dialog({ deletions, verb, answer }: Question) {
  const [typed, setTyped] = useState("");
  const wanted = typedText(deletions);
  const end = (isAcknowledged: boolean) => {
    ask(null);
    answer(isAcknowledged);
  };
  return (
    <Modal opened onClose={() => end(false)} title="This deletes files or history" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() === wanted) end(true);
        }}
      >
        <Stack gap="sm">
          <DeletionsView deletions={deletions} />
          <TextInput
            label={`Type ${wanted} to acknowledge it`}
            data-autofocus
            autoComplete="off"
            value={typed}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={() => end(false)}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={typed.trim() !== wanted}>
              {verb}; delete {amounts(deletions)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** What a request would delete of each table. */
export function DeletionsView({ deletions }: { deletions: Deletions }) {
  return (
    <>
      <Text size="sm">
        The first runs would delete this, and it can't be brought back. They are announced under Deletions, where they can be undone until their
        grace is over:
      </Text>
      <List size="sm">
        {deletions.by_table.map((table) => (
          <List.Item key={table.address} className="wrap-anywhere">
            {table.address}: {amounts(table)}
          </List.Item>
        ))}
      </List>
    </>
  );
}

export function amounts(of: { snapshots: number | null; files: number | null; bytes: number | null; complete: boolean }): string {
  const known = [
    of.snapshots === null ? null : counted(of.snapshots, "snapshot"),
    of.files === null ? null : counted(of.files, "file"),
    of.bytes === null ? null : bytes(of.bytes),
  ].filter((each) => each !== null);
  if (of.complete && of.snapshots === 0 && of.files === 0) return "nothing now, more as history gets older";
  return [...known, ...(of.complete ? [] : ["an amount that is not known"])].join(", ");
}
