/** A form that registers one table of a catalog. */
import { Button, Checkbox, Group, Modal, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { packhouse } from "../../api/client";
import { commandLine } from "../../format/commands";
import { acknowledged } from "../../parts/Acknowledging";
import { CopyAs } from "../../parts/CopyAs";
import { PageLink } from "../../parts/links";
import { Problem } from "../../parts/Problem";
import { parseAddress, parseLabels } from "./register";

const EMPTY = { address: "", team: "", labels: [] as string[], paused: false };

export function RegisterDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Register a table" closeButtonProps={{ "aria-label": "Close" }}>
      <RegisterForm onClose={onClose} />
    </Modal>
  );
}

function RegisterForm({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState(EMPTY);
  const navigate = useNavigate();
  const address = parseAddress(form.address);
  const labels = parseLabels(form.labels);
  const team = form.team.trim();
  const body = { ...(address ?? { catalog: "", namespace: [], name: "" }), labels: labels ?? {}, paused: form.paused, ...(team === "" ? {} : { owner_team: team }) };
  const mutation = useMutation({
    mutationFn: () =>
      acknowledged((acknowledge) => packhouse.post("/v1/tables", { params: { query: acknowledge === undefined ? {} : { acknowledge } }, body }), { verb: "Register" }),
    onSuccess: async (table) => {
      notifications.show({ message: `${form.address.trim()} is registered. Its first look follows within a minute.` });
      await navigate({ to: "/tables/$tableId", params: { tableId: table.id } });
    },
  });
  const isReady = address !== null && labels !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !mutation.isPending) mutation.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          The table is opened through its catalog and then watched: nothing in it changes yet. For many tables at once,{" "}
          <PageLink to="/catalogs" inherit>
            discover them in their catalog
          </PageLink>
          .
        </Text>
        <TextInput
          label="Address"
          description='catalog.namespace.name; a part with a dot in double quotes: lake."shop.eu".orders'
          required
          data-autofocus
          value={form.address}
          error={form.address !== "" && address === null ? "An address has a catalog, at least one namespace and a name, joined by dots." : null}
          onChange={(event) => setForm({ ...form, address: event.currentTarget.value })}
        />
        <TextInput
          label="Owner team"
          description="Its members see the table and may change its policy. Left empty: no team."
          value={form.team}
          onChange={(event) => setForm({ ...form, team: event.currentTarget.value })}
        />
        <TagsInput
          label="Labels"
          description="key:value, and Enter after each"
          value={form.labels}
          onChange={(value) => setForm({ ...form, labels: value })}
          error={labels === null ? "A label is written key:value, such as tier:gold." : null}
        />
        <Checkbox
          label="Register it as paused: no run starts until it is resumed"
          checked={form.paused}
          onChange={(event) => setForm({ ...form, paused: event.currentTarget.checked })}
        />
        {mutation.isError && <Problem error={mutation.error} />}
        <Group justify="space-between">
          <CopyAs
            request={{ method: "POST", path: "/v1/tables", body }}
            cli={commandLine(
              ["packhouse", "tables", "register", form.address.trim()],
              team !== "" && ["--owner-team", team],
              Object.entries(labels ?? {}).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
              form.paused && "--paused",
            )}
          />
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={mutation.isPending} disabled={!isReady}>
              Register
            </Button>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
