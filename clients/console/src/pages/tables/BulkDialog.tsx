/** One action on many tables: a few at a time, with the result of each, and another try of those that failed. */
import { Button, Checkbox, Group, Modal, Progress, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { troubleOf } from "../../api/problems";
import { curl } from "../../format/commands";
import { counted } from "../../format/sizes";
import { act, type BulkForm, commandOfBulk, isComplete, requestOf } from "./bulk";
import { actOnEach, type Outcome } from "./limited";
import type { FleetTable } from "./tablesQueries";

const TITLES = { label: "Label tables", pause: "Pause tables", resume: "Resume tables" } as const;
const FIRST: Record<BulkForm["kind"], BulkForm> = {
  label: { kind: "label", key: "", value: "", removes: false },
  pause: { kind: "pause", reason: "", stops: false },
  resume: { kind: "resume" },
};

type Results = readonly Outcome<FleetTable>[];

export function BulkDialog({ kind, tables, onClose }: { kind: BulkForm["kind"]; tables: readonly FleetTable[]; onClose: () => void }) {
  const [form, setForm] = useState<BulkForm>(FIRST[kind]);
  const [results, setResults] = useState<Results>([]);
  const [isWorking, setWorking] = useState(false);
  const [targets] = useState(tables);
  const stop = useRef(new AbortController());
  const queries = useQueryClient();
  useEffect(() => () => stop.current.abort(), []);
  const done = results.filter(({ ok }) => ok);
  const failed = results.filter(({ ok }) => !ok);
  const work = async (items: readonly FleetTable[]) => {
    setWorking(true);
    setResults(done);
    await actOnEach(items, (table) => act(form, table), (outcome) => setResults((before) => [...before, outcome]), { signal: stop.current.signal });
    setWorking(false);
    await queries.invalidateQueries();
  };
  const isBegun = results.length > 0 || isWorking;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete(form) && !isBegun) void work(targets);
  };
  return (
    <Modal opened onClose={onClose} title={TITLES[kind]} size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{describe(kind, targets.length)}</Text>
          <fieldset disabled={isBegun} style={{ border: 0, padding: 0, margin: 0 }}>
            <Fields form={form} onChange={setForm} />
          </fieldset>
          {isBegun && <Outcomes done={done.length} failed={failed} total={targets.length} isWorking={isWorking} />}
          <Group justify="space-between">
            <CopyAll form={form} tables={targets} />
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                {isWorking ? "Stop and close" : "Close"}
              </Button>
              {!isBegun && (
                <Button type="submit" disabled={!isComplete(form)}>
                  {TITLES[kind].replace("tables", counted(targets.length, "table"))}
                </Button>
              )}
              {!isWorking && failed.length > 0 && (
                <Button onClick={() => void work(failed.map(({ item }) => item))}>Try {counted(failed.length, "failed table")} again</Button>
              )}
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function describe(kind: BulkForm["kind"], total: number): string {
  const tables = counted(total, "table");
  if (kind === "label") return `Sets or removes one label of ${tables}. Other labels stay. Policies with the label then apply to them.`;
  if (kind === "pause") return `No run of ${tables} starts until each is resumed.`;
  return `Ends the pause of ${tables}, and the rest after runs without effect. Waiting runs continue.`;
}

function Fields({ form, onChange }: { form: BulkForm; onChange: (form: BulkForm) => void }) {
  if (form.kind === "resume") return null;
  if (form.kind === "pause") {
    return (
      <Stack gap="sm">
        <TextInput label="Reason" description="Shown with everything that waits because of it" required data-autofocus maxLength={500}
          value={form.reason} onChange={(event) => onChange({ ...form, reason: event.currentTarget.value })} />
        <Checkbox label="Stop running work now, instead of letting it finish the file groups in flight" checked={form.stops}
          onChange={(event) => onChange({ ...form, stops: event.currentTarget.checked })} />
      </Stack>
    );
  }
  return (
    <Stack gap="sm">
      <Group grow align="flex-start">
        <TextInput label="Key" required data-autofocus maxLength={255} value={form.key}
          error={form.key.includes(":") ? "A key has no colon." : null}
          onChange={(event) => onChange({ ...form, key: event.currentTarget.value })} />
        <TextInput label="Value" maxLength={255} value={form.value} disabled={form.removes}
          onChange={(event) => onChange({ ...form, value: event.currentTarget.value })} />
      </Group>
      <Checkbox label="Remove the label with this key" checked={form.removes}
        onChange={(event) => onChange({ ...form, removes: event.currentTarget.checked })} />
    </Stack>
  );
}

function Outcomes({ done, failed, total, isWorking }: { done: number; failed: Results; total: number; isWorking: boolean }) {
  const ended = done + failed.length;
  const state = isWorking ? `${ended} of ${total}` : failed.length === 0 ? `Done: ${counted(done, "table")}.` : `${counted(done, "table")} done, ${counted(failed.length, "table")} failed.`;
  return (
    <div>
      <Progress value={(ended / total) * 100} aria-label="Progress" color={failed.length > 0 ? "red" : "blue"} mb="xs" />
      <Text size="sm" role="status">
        {state}
      </Text>
      {failed.length > 0 && (
        <div className="rows" style={{ maxHeight: 240 }} tabIndex={0} role="region" aria-label="Tables that failed">
          <table>
            <thead>
              <tr>
                <th scope="col">Table</th>
                <th scope="col">Why it failed</th>
              </tr>
            </thead>
            <tbody>
              {failed.map(({ item, error }) => {
                const { title, detail, requestId } = troubleOf(error);
                const text = `${title}: ${detail}${requestId === null ? "" : ` (request ${requestId})`}`;
                return (
                  <tr key={item.table_id}>
                    <td title={item.table}>{item.table}</td>
                    <td title={text}>{text}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function CopyAll({ form, tables }: { form: BulkForm; tables: readonly FleetTable[] }) {
  const copy = async (lines: readonly string[]) => {
    const text = lines.join("\n");
    try {
      await navigator.clipboard.writeText(text);
      notifications.show({ message: `${counted(lines.length, "command")} copied, one for each table.` });
    } catch {
      notifications.show({ title: "The browser refused the clipboard", message: text.slice(0, 2000), autoClose: false });
    }
  };
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" onClick={() => void copy(tables.map((table) => curl(requestOf(form, table.table_id), location.origin)))}>
        Copy as curl
      </Button>
      <Button size="xs" variant="default" onClick={() => void copy(tables.map((table) => commandOfBulk(form, table.table)))}>
        Copy as packhouse
      </Button>
    </Group>
  );
}
