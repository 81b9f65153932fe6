/** Start a run: choose what, preview the plan, then submit. A purge needs its preview and the typed address. */
import { Button, Checkbox, Group, Modal, Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import type { RunWish } from "@packhouse/client";
import { packhouse, type Schemas } from "../../../api/client";
import { operationOf, operations } from "../../../api/operations";
import { tableAddress } from "../../../format/addresses";
import { acknowledged } from "../../../parts/Acknowledging";
import { RoleButton } from "../../../parts/actions";
import { CopyAs } from "../../../parts/CopyAs";
import { Problem } from "../../../parts/Problem";
import { useUrlState } from "../../../parts/useUrlState";
import { Waiting } from "../../../parts/states";
import { explainQuery, healthQuery, type Table } from "../tableQueries";
import { TABLE_STATE } from "../urlState";
import { FilesButton, hasFileList } from "./FilesButton";
import { columnsFirst, columnsOf, partitionFields, partitionText } from "./partitioning";
import { PlanPreview } from "./PlanPreview";
import { gapOf, predicateOf } from "./predicate";
import { PredicateBuilder } from "./PredicateBuilder";
import { commandOfRun, EMPTY_FORM, type Extent, type Operation, type RunForm, submitOf } from "./request";
import { holdsOf, StartWaits } from "./StartWaits";
import { UpkeepPreview } from "./UpkeepPreview";

type Plan = Schemas["TablePlan"] | Schemas["UpkeepPlan"];

export function RunDialog({ table, onClose }: { table: Table; onClose: () => void }) {
  const [{ operation: given }, change] = useUrlState(TABLE_STATE);
  const operation = operationOf(given)?.operation ?? "rewrite";
  const address = tableAddress(table);
  return (
    <Modal opened onClose={onClose} title={`Run on ${address.slice(0, 120)}`} size="xl" closeButtonProps={{ "aria-label": "Close" }}>
      <Select
        label="Operation"
        allowDeselect={false}
        data={operations().map(({ operation: value, title }) => ({ value, label: title }))}
        description={operationOf(operation)?.summary}
        value={operation}
        onChange={(value) => change({ operation: value ?? "rewrite" })}
        mb="md"
        data-autofocus
      />
      <RunForOperation key={operation} table={table} operation={operation} address={address} onClose={onClose} />
    </Modal>
  );
}

function RunForOperation({ table, operation, address, onClose }: { table: Table; operation: Operation; address: string; onClose: () => void }) {
  const [form, setForm] = useState<RunForm>(EMPTY_FORM);
  const [typed, setTyped] = useState("");
  const { data: health } = useQuery({ ...healthQuery(table.id), enabled: operation === "rewrite" });
  const columns = columnsOf(health);
  const wanted = submitOf(table.id, operation, form, predicateOf(form.rows, columns));
  const shape = JSON.stringify(wanted);
  const preview = useMutation({
    meta: { isRead: true },
    mutationFn: async () => ({ shape, plan: (await packhouse.post("/v1/runs/preview", { body: wanted })) as Plan }),
  });
  const plan = preview.data?.shape === shape ? preview.data.plan : null;
  const declared = operationOf(operation);
  const confirmed = declared?.needs_confirmation === true && plan !== null && "details" in plan && plan.details.operation === "purge" ? { plan_hash: plan.details.plan_hash ?? "", confirm: typed } : {};
  const request = { ...wanted, ...confirmed };
  const submit = useSubmit(request);
  const { data: explanation } = useQuery(explainQuery(table.id));
  const holds = holdsOf(explanation, operation).filter((hold) => hold.holds_requests);
  const isReady = !form.rows.some((row) => gapOf(row) !== null) && (declared?.needs_confirmation !== true || (plan !== null && typed === address));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !submit.isPending) submit.mutate();
  };
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        {operation === "rewrite" && (
          <>
            <PredicateBuilder rows={form.rows} columns={columnsFirst(columns, partitionFields(health) ?? [])} partitionedBy={partitionText(partitionFields(health))} onChange={(rows) => setForm({ ...form, rows })} />
            <ExtentChoice value={form.extent} onChange={(extent) => setForm({ ...form, extent })} />
          </>
        )}
        <Group align="flex-start" wrap="nowrap">
          <Select
            label="Priority"
            w={200}
            style={{ flex: "none" }}
            placeholder="As the policy says"
            clearable
            data={["low", "normal", "high"]}
            value={form.priority || null}
            onChange={(priority) => setForm({ ...form, priority: (priority ?? "") as RunForm["priority"] })}
          />
          <Stack gap="xs" mt={28}>
            <Checkbox
              label="Start even if an equal run is live"
              checked={form.allowDuplicate}
              onChange={(event) => setForm({ ...form, allowDuplicate: event.currentTarget.checked })}
            />
            {operation === "rewrite" && (
              <Checkbox
                label="Include partitions that cool down after lost races"
                checked={form.includeCooling}
                onChange={(event) => setForm({ ...form, includeCooling: event.currentTarget.checked })}
              />
            )}
          </Stack>
        </Group>
        <Group>
          <Button variant="default" loading={preview.isPending} onClick={() => preview.mutate()}>
            {plan === null ? "Preview the plan" : "Preview again"}
          </Button>
          {plan !== null && hasFileList(operation) && <FilesButton table={table} operation={operation} />}
          {preview.data !== undefined && plan === null && !preview.isPending && (
            <Text size="sm" c="dimmed">
              The form changed since the last preview.
            </Text>
          )}
        </Group>
        {preview.isPending && <Waiting height={200} label="Planning" />}
        {preview.isError && <Problem error={preview.error} />}
        {plan !== null && ("groups" in plan ? <PlanPreview plan={plan} /> : <UpkeepPreview plan={plan} />)}
        {declared?.needs_confirmation === true && (
          <TextInput
            label="Type the address of the table to confirm"
            description={plan === null ? "Preview the purge first: the run does what the preview shows, or is refused." : <span className="wrap-anywhere">{address}</span>}
            disabled={plan === null}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <StartWaits holds={holds} />
        {submit.isError && <Problem error={submit.error} />}
        <Group justify="space-between">
          <CopyAs request={{ method: "POST", path: "/v1/runs", body: request }} cli={commandOfRun(address, request)} />
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <RoleButton
              needs={declared?.caller_role ?? "operator"}
              disabled={!isReady}
              loading={submit.isPending}
              onClick={() => {
                if (isReady && !submit.isPending) submit.mutate();
              }}
              {...(operation === "purge" ? { color: "red" } : {})}
            >
              {operation === "purge" ? "Purge the history" : holds.length > 0 ? "Queue the run" : "Start the run"}
            </RoleButton>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}

/** Submit a run, then open its page. An equal run that is live is opened instead of a second one. */
function useSubmit(request: RunWish) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => acknowledged((acknowledge) => packhouse.submitRun(request, acknowledge), { verb: "Start" }),
    onSuccess: async (run) => {
      notifications.show(
        run.deduplicated
          ? { title: "No second run was started", message: "An equal run was live already; this is that run. Force starts another." }
          : { message: "The run is submitted." },
      );
      await navigate({ to: "/runs/$runId", params: { runId: run.id } });
    },
  });
}

const EXTENTS: Readonly<Record<Extent, [string, string]>> = {
  as_planned: ["Files that the policy would merge", "Small files, files with deletes and over-large files"],
  force_full: ["Whole partitions", "Files of the right size are candidates too; a file that would come out unchanged is still skipped"],
  every_file: ["Every file", "Also files that would come out unchanged: after a change of compression, encoding or sort order"],
};

function ExtentChoice({ value, onChange }: { value: Extent; onChange: (value: Extent) => void }) {
  return (
    <Radio.Group label="What to rewrite" value={value} onChange={(next) => onChange(next as Extent)}>
      <Stack gap={6} mt={4}>
        {Object.entries(EXTENTS).map(([name, [label, description]]) => (
          <Radio key={name} value={name} label={label} description={description} />
        ))}
      </Stack>
    </Radio.Group>
  );
}
