/** Dialog that creates a catalog: what it is, where its secrets are found, and which locations it may use. */
import { SegmentedControl, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { packhouse, type Schemas } from "../../api/client";
import { commandLine } from "../../format/commands";
import { FormDialog } from "../../parts/FormDialog";
import { Problem } from "../../parts/Problem";
import { catalogTypesQuery } from "./catalogQueries";
import { type Content, ContentFields } from "./ContentFields";
import { contentWords, linesOf, problemOfRows, propertiesOf, startRows } from "./propertiesForm";

type CatalogType = Schemas["CatalogType"];

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export function CreateCatalog({ onClose }: { onClose: () => void }) {
  const types = useQuery(catalogTypesQuery);
  if (types.isError) return <Problem error={types.error} onRetry={() => void types.refetch()} />;
  return types.data === undefined ? null : <CreateDialog types={types.data.items} onClose={onClose} />;
}

function CreateDialog({ types, onClose }: { types: readonly CatalogType[]; onClose: () => void }) {
  const served = types.filter((one) => one.supported);
  const [name, setName] = useState("");
  const [kind, setKind] = useState(served[0]);
  const [content, setContent] = useState<Content>(() => ({ rows: startRows(kind), locations: "", outside: "refuse" }));
  const navigate = useNavigate();
  const begin = (next: CatalogType | undefined) => {
    setKind(next);
    setContent({ ...content, rows: startRows(next) });
  };
  const format = kind?.format ?? "iceberg";
  const ofFormat = (isSupported: boolean) => types.filter((one) => one.format === format && one.supported === isSupported);
  const unserved = ofFormat(false).map((one) => one.label);
  const body = {
    name,
    format,
    properties: propertiesOf(content.rows),
    allowed_locations: linesOf(content.locations),
    outside_files: content.outside,
  };
  return (
    <FormDialog
      title="Create a catalog"
      onClose={onClose}
      description="A catalog is the connection that lists your tables. It is stored, not tried: its page then checks it step by step."
      submit="Create"
      blocked={NAME.test(name) ? problemOfRows(content.rows) : name === "" ? "Give the catalog a name." : "Correct the name."}
      act={() => packhouse.post("/v1/catalogs", { body })}
      done={`The catalog ${name} is created.`}
      onDone={() => void navigate({ to: "/catalogs/$name", params: { name }, search: { part: "connection", check: "now" } })}
      request={{ method: "POST", path: "/v1/catalogs", body }}
      cli={commandLine("packhouse", "catalogs", "create", name, "--format", format, contentWords(body))}
      size="xl"
    >
      <TextInput
        label="Name"
        description="The first part of each table's address: lake in lake.sales.orders. It can't be changed later."
        required
        data-autofocus
        autoComplete="off"
        value={name}
        error={name === "" || NAME.test(name) ? null : "1 to 64 letters, digits, _ or -; it begins with a letter or digit"}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label="Table format"
        description="Formats that this server serves; the page Formats shows what each supports."
        data={[...new Set(served.map((one) => one.format))]}
        allowDeselect={false}
        value={format}
        onChange={(value) => begin(served.find((one) => one.format === value))}
      />
      <Stack gap={4}>
        <Text size="sm" fw={500} id="kind">
          Kind of catalog
        </Text>
        <Text size="xs" c="dimmed">
          Fills in the properties that such a catalog usually has.{unserved.length > 0 && ` Not served by this version: ${unserved.join(", ")}.`}
        </Text>
        <SegmentedControl
          aria-labelledby="kind"
          data={ofFormat(true).map((one) => ({ value: one.type, label: one.label }))}
          value={kind?.type ?? ""}
          onChange={(value) => begin(ofFormat(true).find((one) => one.type === value))}
        />
      </Stack>
      <ContentFields content={content} onChange={setContent} known={kind?.properties ?? []} />
    </FormDialog>
  );
}
