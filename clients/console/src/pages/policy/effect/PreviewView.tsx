/** What a change of a policy would do, from a dry run: tables, settings, runs that become due, contradictions, notes. */
import { Alert, Box, List, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { count, counted } from "../../../format/sizes";
import { DeletionsView } from "../../../parts/Acknowledging";
import { PageLink } from "../../../parts/links";
import type { Preview } from "../policyTarget";
import { SettingChanges } from "./SettingChanges";

const SHOWN = 8;

export function PreviewView({ preview }: { preview: Preview }) {
  const { affected_count: affected, covered_count: covered, affected_tables: tables, changes, contradictions, notes } = preview;
  return (
    <Stack gap="sm">
      {contradictions.length > 0 && (
        <Alert color="red" variant="outline" title="Settings would contradict one another">
          <List size="sm">
            {contradictions.map(({ pointer, message, hint }) => (
              <List.Item key={pointer + message} className="wrap-anywhere">
                <code>{pointer}</code> {message}
                {hint !== null && `: ${hint}`}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {preview.deletions !== null && (
        <Alert color="red" variant="outline" title="More would be deleted than before">
          <DeletionsView deletions={preview.deletions} />
        </Alert>
      )}
      <Text size="sm">
        {affected === 0
          ? `No setting of the ${counted(covered, "covered table")} would change its value.`
          : `${count(affected)} of ${counted(covered, "covered table")} would change:`}
      </Text>
      {affected > 0 && <Tables tables={tables} total={affected} label="Tables that would change" />}
      {changes.map(({ table_count: some, example, settings }) => (
        <Box key={`${example.id} ${some}`}>
          {(changes.length > 1 || affected > 1) && (
            <Text size="sm" fw={600} className="wrap-anywhere">
              {counted(some, "table")}, such as <TableLink table={example} />
            </Text>
          )}
          <SettingChanges label={`Settings of ${example.address} before and after`} settings={settings} />
        </Box>
      ))}
      {preview.change_count > changes.length && <Text size="sm">and {count(preview.change_count - changes.length)} more combinations of changes</Text>}
      <Due due={preview.due} />
      {notes.length > 0 && (
        <Part title="Notes">
          <List size="sm">
            {notes.map((note) => (
              <List.Item key={note} className="wrap-anywhere">
                {note}
              </List.Item>
            ))}
          </List>
        </Part>
      )}
    </Stack>
  );
}

function Due({ due }: { due: Preview["due"] }) {
  const { count: total, tables, never_measured_count: unmeasured, never_measured: unknown, untold_count: untold } = due;
  return (
    <Part title="Runs that become due">
      <Text size="sm">{total === 0 ? "By the last measurements no further table becomes due." : `${counted(total, "table")} would become due:`}</Text>
      {total > 0 && (
        <List size="sm">
          {tables.slice(0, SHOWN).map((table) => (
            <List.Item key={table.id} className="wrap-anywhere">
              <TableLink table={table} />: rule “{table.rule}” holds for partition {table.partition.text}
            </List.Item>
          ))}
          {total > SHOWN && <List.Item>and {count(total - Math.min(SHOWN, tables.length))} more</List.Item>}
        </List>
      )}
      {unmeasured > 0 && (
        <>
          <Text size="sm">{counted(unmeasured, "affected table")} were never measured; open one to measure it:</Text>
          <Tables tables={unknown} total={unmeasured} label="Tables that were never measured" />
        </>
      )}
      {untold > 0 && (
        <Text size="sm">
          For {counted(untold, "affected table")} the last measurement is not sufficient: their triggers ask for ages, deletes or other bounds of sizes.
        </Text>
      )}
    </Part>
  );
}

function Tables({ tables, total, label }: { tables: readonly { id: string; address: string }[]; total: number; label: string }) {
  return (
    <List size="sm" aria-label={label}>
      {tables.slice(0, SHOWN).map((table) => (
        <List.Item key={table.id} className="wrap-anywhere">
          <TableLink table={table} />
        </List.Item>
      ))}
      {total > SHOWN && <List.Item>and {count(total - Math.min(SHOWN, tables.length))} more</List.Item>}
    </List>
  );
}

function TableLink({ table }: { table: { id: string; address: string } }) {
  return (
    <PageLink to="/tables/$tableId" params={{ tableId: table.id }} size="sm" underline="always" className="wrap-anywhere">
      {table.address}
    </PageLink>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Box>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      {children}
    </Box>
  );
}
