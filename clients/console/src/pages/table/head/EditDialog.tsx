/** A form for the owner team and the labels; a change that another person saved meanwhile is shown, not overwritten. */
import { Alert, Button, Group, Modal, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { PreconditionError } from "@packhouse/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { packhouse } from "../../../api/client";
import { tableQuery } from "../../../api/queries";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { acknowledged } from "../../../parts/Acknowledging";
import { CopyAs } from "../../../parts/CopyAs";
import { Problem } from "../../../parts/Problem";
import { parseLabels } from "../../tables/register";
import type { Table } from "../tableQueries";
import { labelPatch } from "./labels";

const textsOf = (labels: Table["labels"]) => Object.entries(labels).map(([key, value]) => `${key}:${value}`);

export function EditDialog({ table, onClose }: { table: Table; onClose: () => void }) {
  const [opened] = useState(table);
  const [base, setBase] = useState(table);
  const [team, setTeam] = useState(table.owner_team ?? "");
  const [texts, setTexts] = useState(textsOf(table.labels));
  const queries = useQueryClient();
  const labels = parseLabels(texts);
  const body = { owner_team: team.trim() === "" ? null : team.trim(), labels: labelPatch(base.labels, labels ?? {}) };
  const headers = { "if-match": `"${base.version}"` };
  const mutation = useMutation({
    mutationFn: () =>
      acknowledged((acknowledge) =>
        packhouse.patch("/v1/tables/{table_id}", {
          params: { path: { table_id: table.id }, header: headers, query: acknowledge === undefined ? {} : { acknowledge } },
          body,
        }),
      ),
    onSuccess: () => {
      notifications.show({ message: "Owner and labels are saved." });
      onClose();
    },
  });
  const isStale = mutation.error instanceof PreconditionError;
  const loadCurrent = async () => {
    const current = await queries.fetchQuery({ ...tableQuery(table.id), staleTime: 0 });
    setBase(current);
    mutation.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (labels !== null && !mutation.isPending) mutation.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Owner and labels" closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Owner team"
            description="Its members see the table and may change its policy. Left empty: no team."
            data-autofocus
            value={team}
            maxLength={200}
            onChange={(event) => setTeam(event.currentTarget.value)}
          />
          <TagsInput
            label="Labels"
            description="key:value, and Enter after each. Policies with a label apply to every table that has it."
            value={texts}
            onChange={setTexts}
            error={labels === null ? "A label is written key:value, such as tier:gold." : null}
          />
          {base.version !== opened.version && <Changed current={base} />}
          {mutation.isError && (
            <Problem error={mutation.error}>
              {isStale && (
                <Button size="xs" mt="xs" onClick={() => void loadCurrent()}>
                  Keep my text and compare with the current version
                </Button>
              )}
            </Problem>
          )}
          <Group justify="space-between">
            <CopyAs
              request={{ method: "PATCH", path: `/v1/tables/${encodeURIComponent(table.id)}`, body, headers: { "If-Match": headers["if-match"] } }}
              cli={commandLine(
                ["packhouse", "tables", "update", tableAddress(table), "--owner-team", team.trim()],
                Object.entries(body.labels).flatMap(([key, value]) => (value === null ? ["--no-label", key] : ["--label", `${key}=${value}`])),
              )}
            />
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Close
              </Button>
              <Button type="submit" loading={mutation.isPending} disabled={labels === null}>
                Save
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Changed({ current }: { current: Table }) {
  return (
    <Alert color="yellow" variant="outline" title="Changed since you opened this form">
      <Text size="sm" className="wrap-anywhere">
        Now owned by {current.owner_team ?? "no team"}; labels: {textsOf(current.labels).join(", ") || "none"}. Saving sets what this form shows.
      </Text>
    </Alert>
  );
}
