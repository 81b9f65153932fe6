/** Every operation besides rewriting: whether it is on, when it is due, what a run would do, its last run. */
import { Group, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../../api/client";
import { operationName } from "../../../api/operations";
import { tableAddress } from "../../../format/addresses";
import { commandLine } from "../../../format/commands";
import { bytes } from "../../../format/sizes";
import { RoleButton } from "../../../parts/actions";
import { Badge, RunStateBadge } from "../../../parts/badges";
import { CopyAs } from "../../../parts/CopyAs";
import { PolicyLink, RunLink } from "../../../parts/links";
import { Answer, Section } from "../../../parts/states";
import { Ago, Time } from "../../../parts/Time";
import { useUrlState } from "../../../parts/useUrlState";
import { ConditionRows } from "../explain/ConditionRows";
import { FilesButton, hasFileList } from "../run/FilesButton";
import { type Table, upkeepQuery } from "../tableQueries";
import { TABLE_STATE } from "../urlState";
import { patchOf } from "./advice";

export function UpkeepTab({ table }: { table: Table }) {
  const query = useQuery(upkeepQuery(table.id));
  return (
    <Answer query={query} height={600}>
      {(upkeep) => (
        <Section
          title="Upkeep"
          aside={
            <CopyAs
              request={{ method: "GET", path: `/v1/tables/${encodeURIComponent(table.id)}/upkeep` }}
              cli={commandLine("packhouse", "tables", "upkeep", tableAddress(table))}
            />
          }
        >
          <Text size="sm" c="dimmed" mb="sm">
            In the order in which they start. Measured <Ago at={upkeep.measured_at} />.{!upkeep.enabled && " The policy has enabled: false, so none starts automatically."}
          </Text>
          <div className="two-columns">
            {upkeep.operations.map((one) => (
              <OperationCard key={one.operation} table={table} one={one} />
            ))}
            <PurgeCard />
          </div>
        </Section>
      )}
    </Answer>
  );
}

function OperationCard({ table, one }: { table: Table; one: Schemas["UpkeepOperation"] }) {
  const [, change] = useUrlState(TABLE_STATE);
  return (
    <section className="card" aria-label={operationName(one.operation)}>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="h5">
          {operationName(one.operation)}
        </Title>
        <Group gap={6}>
          <Badge tone={one.is_on ? "good" : "quiet"}>{one.is_on ? "on" : "off"}</Badge>
          {one.due && <Badge tone="waiting">due</Badge>}
          {one.blocked !== null && <Badge tone="warn">{`blocked: ${one.blocked.replaceAll("_", " ")}`}</Badge>}
        </Group>
      </Group>
      <dl className="facts">
        <dt>Setting</dt>
        <dd>
          {one.setting}: {typeof one.value === "string" ? one.value : JSON.stringify(one.value)} ({one.origin})
        </dd>
        <dt>{one.is_on ? "A run now" : "If it were on"}</dt>
        <dd>
          {one.detail}
          {one.assumed !== null && <> with {JSON.stringify(one.assumed)}</>}
        </dd>
        {one.superseded_bytes > 0 && (
          <>
            <dt>Could free</dt>
            <dd>at most {bytes(one.superseded_bytes)}</dd>
          </>
        )}
        {one.due_at !== null && (
          <>
            <dt>Due</dt>
            <dd>
              <Time at={one.due_at} /> (<Ago at={one.due_at} />)
            </dd>
          </>
        )}
        <dt>Last run</dt>
        <dd>
          {one.last_run === null ? (
            "none"
          ) : (
            <>
              <RunLink runId={one.last_run.id}>
                <RunStateBadge state={one.last_run.state} />
              </RunLink>{" "}
              <Ago at={one.last_run.finished_at ?? one.last_run.created_at} /> {one.last_run.detail}
            </>
          )}
        </dd>
      </dl>
      <ConditionRows conditions={one.conditions} />
      <Group gap="xs" mt="sm">
        {one.is_on ? (
          <>
            <RoleButton needs="operator" size="xs" variant="default" onClick={() => change({ dialog: "run", operation: one.operation })}>
              Preview and run now
            </RoleButton>
            {hasFileList(one.operation) && <FilesButton table={table} operation={one.operation} />}
          </>
        ) : (
          <PolicyLink tableId={table.id} apply={patchOf(one.setting, one.assumed ?? {})} size="sm">
            Switch it on in the policy editor
          </PolicyLink>
        )}
      </Group>
    </section>
  );
}

function PurgeCard() {
  const [, change] = useUrlState(TABLE_STATE);
  return (
    <section className="card" aria-label={operationName("purge")}>
      <Title order={3} size="h5" mb="xs">
        {operationName("purge")}
      </Title>
      <Text size="sm" mb="sm">
        Removes all history at once, with the files that only it needs. It is never automatic: an admin previews it, then types the address of the table. Deleted files can't
        be brought back by Packhouse.
      </Text>
      <Group>
        <RoleButton needs="admin" size="xs" variant="default" onClick={() => change({ dialog: "run", operation: "purge" })}>
          Preview a purge
        </RoleButton>
      </Group>
    </section>
  );
}
