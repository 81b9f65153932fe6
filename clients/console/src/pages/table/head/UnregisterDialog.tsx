/** Forget a table, after its address was typed. */
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { packhouse } from "../../../api/client";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { CopyAs } from "../../../parts/CopyAs";
import { Problem } from "../../../parts/Problem";
import type { Table } from "../tableQueries";

export function UnregisterDialog({ table, onClose }: { table: Table; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const address = tableAddress(table);
  const navigate = useNavigate();
  const mutation = useMutation({
    mutationFn: () => packhouse.delete("/v1/tables/{table_id}", { params: { path: { table_id: table.id } } }),
    onSuccess: async () => {
      notifications.show({ message: `${address.slice(0, 200)} is no longer registered.` });
      await navigate({ to: "/tables" });
    },
  });
  const isReady = typed === address;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady && !mutation.isPending) mutation.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Unregister this table?" closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            Packhouse forgets the table, its policy and its measurements. The table itself and its files are not touched; its runs are kept. It
            can be registered again, without its policy.
          </Text>
          <TextInput
            label="Type the address to confirm"
            description={<span className="wrap-anywhere">{address}</span>}
            data-autofocus
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
          {mutation.isError && <Problem error={mutation.error} />}
          <Group justify="space-between">
            <CopyAs
              request={{ method: "DELETE", path: `/v1/tables/${encodeURIComponent(table.id)}` }}
              cli={commandLine("packhouse", "tables", "delete", address)}
            />
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Close
              </Button>
              <Button type="submit" color="red" disabled={!isReady} loading={mutation.isPending}>
                Unregister
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
