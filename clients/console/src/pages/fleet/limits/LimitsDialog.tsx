/** The limits of the fleet and of single catalogs: shown to all, written by admins, never over a newer version. */
import { Button, Fieldset, Group, Modal, Select, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { packhouse, type Schemas } from "../../../api/client";
import { catalogNamesQuery, useRole } from "../../../api/queries";
import { commandLine } from "../../../format/commands";
import { rate } from "../../../format/sizes";
import { FormDialog } from "../../../parts/FormDialog";
import { Problem } from "../../../parts/Problem";
import { Waiting } from "../../../parts/states";
import { Ago } from "../../../parts/Time";
import { limitsQuery } from "../fleetQueries";
import { bodyOf, CATALOG_KEYS, formOf, LIMIT_KEYS, type LimitKey, type LimitTexts, NO_LIMITS, problemOf, problemOfForm, rateOfText, rebased } from "./limitsForm";

const LABELS: Readonly<Record<LimitKey, string>> = {
  parallel_runs: "Parallel runs",
  parallel_groups: "Parallel groups",
  bandwidth: "Bandwidth",
  requests: "Requests per second",
};

export function LimitsDialog({ onClose, catalog }: { onClose: () => void; catalog?: string }) {
  const query = useQuery(limitsQuery);
  if (query.data === undefined) {
    return (
      <Modal opened onClose={onClose} title="Limits of all rewrites" size="xl" closeButtonProps={{ "aria-label": "Close" }}>
        {query.isError ? <Problem error={query.error} onRetry={() => void query.refetch()} /> : <Waiting height={300} />}
      </Modal>
    );
  }
  return <LimitsForm first={query.data} onClose={onClose} {...(catalog === undefined ? {} : { catalog })} />;
}

function LimitsForm({ first, onClose, catalog }: { first: Schemas["Limits"]; onClose: () => void; catalog?: string }) {
  const { role, has } = useRole();
  const queries = useQueryClient();
  const [read, setRead] = useState(first);
  const [form, setForm] = useState(() => {
    const initial = formOf(first);
    if (catalog === undefined || Object.hasOwn(initial.catalogs, catalog)) return initial;
    return { ...initial, catalogs: { ...initial.catalogs, [catalog]: NO_LIMITS } };
  });
  const [isRebased, setIsRebased] = useState(false);
  const reload = async () => {
    const latest = await queries.fetchQuery(limitsQuery);
    setForm((mine) => rebased(formOf(read), mine, formOf(latest)));
    setRead(latest);
    setIsRebased(true);
  };
  const etag = `"${read.version}"`;
  const body = bodyOf(form);
  const words = [
    ...LIMIT_KEYS.map((key) => `${key}=${form.fleet[key].trim() || "null"}`),
    ...(Object.keys(form.catalogs).length === 0 ? [] : [`catalogs=${JSON.stringify(body.catalogs)}`]),
  ];
  const blocked = role === undefined || has("admin") ? problemOfForm(form) : `Only an admin changes limits. Your role is ${role}.`;
  return (
    <FormDialog
      title="Limits of all rewrites"
      onClose={onClose}
      description="An empty field sets no limit. Rates reach running rewrites within about 3 seconds; parallel runs and groups hold for new starts. A run obeys the strictest limit of its table, its catalog and the fleet."
      submit="Save limits"
      blocked={blocked}
      act={() => packhouse.put("/v1/limits", { params: { header: { "if-match": etag } }, body })}
      done="The limits are saved; running rewrites follow within seconds."
      onReload={() => void reload()}
      request={{ method: "PUT", path: "/v1/limits", body, headers: { "If-Match": etag } }}
      cli={commandLine("packhouse", "limits", "set", words)}
      size="xl"
    >
      <Text size="sm" c="dimmed" className="wrap-anywhere">
        Version {read.version} by {read.updated_by}, <Ago at={read.updated_at} />.
        {isRebased && " This is the current version; the fields that you changed have your values."}
      </Text>
      <LimitFields legend="All tables together" keys={LIMIT_KEYS} texts={form.fleet} onChange={(fleet) => setForm({ ...form, fleet })} />
      {Object.entries(form.catalogs).map(([name, texts]) => (
        <LimitFields
          key={name}
          legend={`Catalog ${name}`}
          keys={CATALOG_KEYS}
          texts={texts}
          onChange={(own) => setForm({ ...form, catalogs: { ...form.catalogs, [name]: own } })}
        />
      ))}
      <AddCatalog taken={Object.keys(form.catalogs)} onAdd={(name) => setForm({ ...form, catalogs: { ...form.catalogs, [name]: NO_LIMITS } })} />
    </FormDialog>
  );
}

interface LimitFieldsProps {
  legend: string;
  keys: readonly LimitKey[];
  texts: LimitTexts;
  onChange: (texts: LimitTexts) => void;
}

function LimitFields({ legend, keys, texts, onChange }: LimitFieldsProps) {
  const hints: Readonly<Record<LimitKey, string>> = {
    parallel_runs: "At work at the same time",
    parallel_groups: "Tasks of all rewrites together",
    bandwidth: texts.bandwidth.trim() === "" ? "Read + written, such as 400MB" : `= ${rate(rateOfText(texts.bandwidth))}`,
    requests: "To the object store",
  };
  return (
    <Fieldset legend={legend} className="wrap-anywhere">
      <SimpleGrid cols={{ base: 1, xs: keys.length }}>
        {keys.map((key) => (
          <TextInput
            key={key}
            label={LABELS[key]}
            description={hints[key]}
            placeholder="no limit"
            autoComplete="off"
            value={texts[key]}
            error={problemOf(key, texts[key])}
            onChange={(event) => onChange({ ...texts, [key]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

function AddCatalog({ taken, onAdd }: { taken: readonly string[]; onAdd: (name: string) => void }) {
  const [name, setName] = useState<string | null>(null);
  const query = useQuery(catalogNamesQuery);
  const free = (query.data ?? []).filter((one) => !taken.includes(one));
  if (free.length === 0) return null;
  return (
    <Group align="end" gap="xs">
      <Select label="Limits of a catalog" placeholder="Choose a catalog" data={free} value={name} onChange={setName} searchable />
      <Button
        variant="default"
        disabled={name === null}
        onClick={() => {
          if (name !== null) onAdd(name);
          setName(null);
        }}
      >
        Add its limits
      </Button>
    </Group>
  );
}
