/** The own policy of a table: what it sets itself, and what it inherits. */
import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Schemas } from "../../api/client";
import { tableQuery, whoamiQuery } from "../../api/queries";
import { PageLink } from "../../parts/links";
import { Answer } from "../../parts/states";
import { LoadedPolicy } from "./LoadedPolicy";
import { tableTarget } from "./policyTarget";

export { EDITOR_STATE as SEARCH } from "./PolicyEditor";

export default function TablePolicyPage() {
  const { tableId } = useParams({ strict: false }) as { tableId: string };
  const table = useQuery(tableQuery(tableId));
  const person = useQuery(whoamiQuery);
  return (
    <Answer query={table} height={600}>
      {(found) => (person.data === undefined ? <Answer query={person} height={600}>{() => null}</Answer> : <OfTable key={found.id} table={found} />)}
    </Answer>
  );
}

function OfTable({ table }: { table: Schemas["Table"] }) {
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the id stands for the table
  const target = useMemo(() => tableTarget(table), [table.id, table.owner_team]);
  return (
    <LoadedPolicy
      target={target}
      scope={null}
      tableId={table.id}
      sub={
        <>
          <PageLink to="/tables/$tableId" params={{ tableId: table.id }} underline="always" size="sm">
            Open the table
          </PageLink>
          .
        </>
      }
      missing={
        <Alert color="blue" variant="outline" mb="sm" title="This table has no policy of its own">
          <Text size="sm">
            All settings are inherited: from policies of wider scopes, a preset, or the defaults. Each setting below shows its value and origin. Set one and save to make the first version; it holds for this table only.
          </Text>
        </Alert>
      }
    />
  );
}
