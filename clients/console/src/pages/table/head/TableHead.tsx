/** Name, owner and labels of a table, with its actions. */
import { Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRole } from "../../../api/queries";
import { tableAddress } from "../../../format/addresses";
import { RoleButton } from "../../../parts/actions";
import { Badge, VerdictBadge } from "../../../parts/badges";
import { ButtonLink, PageLink } from "../../../parts/links";
import { PageHead } from "../../../parts/states";
import { useUrlState } from "../../../parts/useUrlState";
import { stateQuery, type Table } from "../tableQueries";
import { TABLE_STATE } from "../urlState";
import { EditDialog } from "./EditDialog";
import { PauseActions } from "./PauseActions";
import { UnregisterDialog } from "./UnregisterDialog";

export function TableHead({ table }: { table: Table }) {
  const [{ dialog }, change] = useUrlState(TABLE_STATE);
  const { has } = useRole();
  const address = tableAddress(table);
  const close = () => change({ dialog: "" });
  return (
    <>
      <PageHead
        title={
          <span className="table-title" title={address}>
            {address}
          </span>
        }
        sub={<Facts table={table} />}
      >
        <RoleButton needs="operator" size="xs" onClick={() => change({ dialog: "run" })}>
          Run
        </RoleButton>
        <PauseActions table={table} />
        <ButtonLink to="/tables/$tableId/policy" params={{ tableId: table.id }} size="xs" variant="default">
          Policy
        </ButtonLink>
        <RoleButton needs="owner" size="xs" variant="default" onClick={() => change({ dialog: "edit" })}>
          Edit owner and labels
        </RoleButton>
        <RoleButton needs="owner" size="xs" variant="default" onClick={() => change({ dialog: "unregister" })}>
          Unregister
        </RoleButton>
      </PageHead>
      {dialog === "edit" && has("owner") && <EditDialog table={table} onClose={close} />}
      {dialog === "unregister" && has("owner") && <UnregisterDialog table={table} onClose={close} />}
    </>
  );
}

function Facts({ table }: { table: Table }) {
  const { data: state } = useQuery(stateQuery(table));
  const labels = Object.entries(table.labels);
  return (
    <Group gap="xs" mt={4}>
      {state && <VerdictBadge verdict={state.verdict} />}
      {table.pause !== null && <Badge tone="warn">paused</Badge>}
      {table.freeze !== null && <Badge tone="bad">frozen</Badge>}
      <Text size="sm" component="span">
        Catalog{" "}
        <PageLink to="/catalogs/$name" params={{ name: table.catalog }} underline="always" inherit>
          {table.catalog}
        </PageLink>
      </Text>
      <Text size="sm" component="span" className="wrap-anywhere">
        {table.owner_team === null ? "No owner team" : `Owned by ${table.owner_team}`}
      </Text>
      {labels.length === 0 && (
        <Text size="sm" component="span">
          No labels
        </Text>
      )}
      {labels.map(([key, value]) => (
        <span key={key} className="table-label cut" title={`${key}: ${value}`}>
          {key}: {value}
        </span>
      ))}
    </Group>
  );
}
