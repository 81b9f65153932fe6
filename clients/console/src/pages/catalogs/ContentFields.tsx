/** Fields of a catalog's connection: properties row by row, allowed locations, files outside of a table's location. */
import { ActionIcon, Autocomplete, Button, Fieldset, Group, Select, Text, Textarea, TextInput } from "@mantine/core";
import type { Schemas } from "../../api/client";
import { isReference, type PropertyRow, rowOf, warningOf } from "./propertiesForm";

export interface Content {
  readonly rows: readonly PropertyRow[];
  readonly locations: string;
  readonly outside: Schemas["OutsideFiles"];
}

const OUTSIDE = [
  { value: "refuse", label: "Refuse: partitions with such files are skipped" },
  { value: "allowed_locations", label: "Accept them below the allowed locations" },
];

type Known = readonly Schemas["CatalogProperty"][];

/** `known`: the properties of the type of catalog, which are described beside their rows. */
export function ContentFields({ content, onChange, known = [] }: { content: Content; onChange: (content: Content) => void; known?: Known }) {
  return (
    <>
      <PropertyRows rows={content.rows} known={known} onChange={(rows) => onChange({ ...content, rows })} />
      <Textarea
        label="Allowed locations"
        description="One path in each line, such as s3://lake/tables: tables must be located below one of them. Empty: anywhere that the deployment allows."
        autosize
        minRows={2}
        value={content.locations}
        onChange={(event) => onChange({ ...content, locations: event.currentTarget.value })}
      />
      <Select
        label="Files outside of a table's own location"
        description="Tables that were imported or moved name such files. Accept them only if every writer of these tables may read the allowed locations."
        data={OUTSIDE}
        allowDeselect={false}
        value={content.outside}
        onChange={(value) => onChange({ ...content, outside: (value ?? "refuse") as Content["outside"] })}
      />
    </>
  );
}

function PropertyRows({ rows, known, onChange }: { rows: readonly PropertyRow[]; known: Known; onChange: (rows: readonly PropertyRow[]) => void }) {
  const described = (name: string) => known.find((one) => one.name === name)?.description;
  const unused = (row: PropertyRow) => known.map((one) => one.name).filter((name) => !rows.some((one) => one !== row && one.name === name));
  const replace = (row: PropertyRow) => onChange(rows.map((one) => (one.id === row.id ? row : one)));
  return (
    <Fieldset legend="Properties">
      <Text size="sm" mb="xs">
        They are given to the catalog's library as they are. <strong>Secrets are never stored:</strong> write where they are
        found, as <code>env:NAME</code> (a variable of the servers and workers) or <code>file:/absolute/path</code> (a file on them).
      </Text>
      {rows.map((row, index) => (
        <Group key={row.id} gap="xs" mb={6} align="flex-start" wrap="nowrap" role="group" aria-label={`Property ${index + 1}`}>
          <Autocomplete
            aria-label="Name"
            placeholder="uri"
            w="38%"
            data={unused(row)}
            value={row.name}
            onChange={(name) => replace({ ...row, name })}
          />
          <TextInput
            aria-label="Value"
            style={{ flex: 1 }}
            value={row.value}
            error={warningOf(row)}
            description={[described(row.name), isReference(row.value) ? "A reference: it is read at each use." : undefined].filter(Boolean).join(" ") || undefined}
            inputWrapperOrder={["input", "description", "error"]}
            onChange={(event) => replace({ ...row, value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="default"
            size={36}
            aria-label={`Remove property ${row.name.slice(0, 80) || index + 1}`}
            onClick={() => onChange(rows.filter((one) => one.id !== row.id))}
          >
            ×
          </ActionIcon>
        </Group>
      ))}
      <Button variant="default" size="xs" onClick={() => onChange([...rows, rowOf()])}>
        Add a property
      </Button>
    </Fieldset>
  );
}
