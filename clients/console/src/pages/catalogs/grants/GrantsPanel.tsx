/** Grants: which teams may discover, register and read which namespaces of a catalog. */
import { ActionIcon, Button, Checkbox, Fieldset, Group, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { packhouse } from "../../../api/client";
import { useRole } from "../../../api/queries";
import { RoleButton } from "../../../parts/actions";
import { FormDialog } from "../../../parts/FormDialog";
import { Empty, Section } from "../../../parts/states";
import { type Catalog, catalogQuery, etagOf, pathOf } from "../catalogQueries";
import { type GrantRow, grantCommands, grantRow, grantsOf, problemOfGrants, RIGHTS } from "./grantsForm";

const RIGHT_TEXTS = {
  discover: "list the tables, registered or not",
  register: "register tables for its own teams",
  read: "read registered tables of other teams",
} as const;

export function GrantsPanel({ catalog }: { catalog: Catalog }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const { has } = useRole();
  return (
    <Section
      title="Grants"
      aside={
        <RoleButton needs="admin" size="xs" onClick={open}>
          Change grants
        </RoleButton>
      }
    >
      {isOpen && <GrantsDialog first={catalog} onClose={close} />}
      <Text size="sm" c="dimmed" mb="sm">
        Admins need no grant. {has("admin") ? "All grants are shown." : "Only grants that you hold are shown."} No right includes another:{" "}
        {RIGHTS.map((right) => `${right}: ${RIGHT_TEXTS[right]}`).join("; ")}.
      </Text>
      {catalog.grants.length === 0 ? (
        <Empty title="No grants">Only admins discover and register tables of this catalog. Grant namespaces to teams, so that their owners can.</Empty>
      ) : (
        <div className="rows" tabIndex={0} role="region" aria-label="Grants of the catalog">
          <table>
            <thead>
              <tr>
                <th scope="col">Team</th>
                <th scope="col">Namespaces</th>
                <th scope="col">Rights</th>
              </tr>
            </thead>
            <tbody>
              {catalog.grants.map((grant, index) => (
                <tr key={index}>
                  <th scope="row">{grant.team === "*" ? "* (every team)" : grant.team}</th>
                  <td>{grant.namespaces.join(", ")}</td>
                  <td>{grant.rights.join(", ")}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function GrantsDialog({ first, onClose }: { first: Catalog; onClose: () => void }) {
  const queries = useQueryClient();
  const [catalog, setCatalog] = useState(first);
  const [rows, setRows] = useState<readonly GrantRow[]>(() => first.grants.map(grantRow));
  const { name } = first;
  const grants = grantsOf(rows);
  const header = { "if-match": etagOf(catalog) };
  const reload = async () => {
    const latest = await queries.fetchQuery({ ...catalogQuery(name), staleTime: 0 });
    setCatalog(latest);
    setRows(latest.grants.map(grantRow));
  };
  return (
    <FormDialog
      title={`Grants of ${name}`}
      onClose={onClose}
      description="All grants are replaced by these. A revoked grant ends at once; tables that a team has registered stay its own."
      submit="Save grants"
      blocked={problemOfGrants(rows)}
      act={() => packhouse.put("/v1/catalogs/{name}/grants", { params: { path: { name }, header }, body: { grants } })}
      done={`The grants of ${name} are saved.`}
      onReload={() => void reload()}
      request={{ method: "PUT", path: pathOf(name, "/grants"), body: { grants }, headers: { "If-Match": etagOf(catalog) } }}
      cli={grantCommands(name, catalog.grants, grants)}
      size="xl"
    >
      {rows.map((row, index) => (
        <GrantFields
          key={row.id}
          row={row}
          legend={`Grant ${index + 1}`}
          onChange={(next) => setRows(rows.map((one) => (one.id === row.id ? next : one)))}
          onRemove={() => setRows(rows.filter((one) => one.id !== row.id))}
        />
      ))}
      <Group>
        <Button variant="default" size="xs" onClick={() => setRows([...rows, grantRow()])}>
          Add a grant
        </Button>
      </Group>
    </FormDialog>
  );
}

function GrantFields({ row, legend, onChange, onRemove }: { row: GrantRow; legend: string; onChange: (row: GrantRow) => void; onRemove: () => void }) {
  return (
    <Fieldset legend={legend}>
      <Group align="flex-start" wrap="nowrap" gap="xs">
        <TextInput label="Team" description="* is every team" style={{ flex: 1 }} value={row.team} onChange={(event) => onChange({ ...row, team: event.currentTarget.value })} />
        <TextInput
          label="Namespaces"
          description="sales covers it, sales.* those inside, * all"
          style={{ flex: 2 }}
          value={row.namespaces}
          onChange={(event) => onChange({ ...row, namespaces: event.currentTarget.value })}
        />
        <ActionIcon variant="default" size={36} aria-label={`Remove ${legend}`} onClick={onRemove}>
          ×
        </ActionIcon>
      </Group>
      <Checkbox.Group label="Rights" value={[...row.rights]} onChange={(rights) => onChange({ ...row, rights: rights as GrantRow["rights"] })} mt="xs">
        <Group gap="md" mt={4}>
          {RIGHTS.map((right) => (
            <Checkbox key={right} value={right} label={`${right}: ${RIGHT_TEXTS[right]}`} />
          ))}
        </Group>
      </Checkbox.Group>
    </Fieldset>
  );
}
