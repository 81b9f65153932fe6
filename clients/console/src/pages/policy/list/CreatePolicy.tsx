/** Choose scope, name and preset of a new policy; the editor opens with them and creates it. */
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../../api/client";
import { catalogNamesQuery } from "../../../api/queries";
import { type Scope, SCOPE_KINDS, type ScopeKind, suggestedName } from "../logic/scopes";
import { presetsQuery } from "../policyQueries";

const NAME = /^(?!tbl_)[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

interface Fields {
  readonly kind: ScopeKind;
  readonly team: string;
  readonly catalog: string;
  readonly namespace: string;
  readonly pattern: string;
  readonly key: string;
  readonly value: string;
}

export function CreatePolicy({ person, preset: first, onClose }: { person: Schemas["Whoami"] | undefined; preset: string; onClose: () => void }) {
  const isOwner = person?.role === "owner";
  const [fields, setFields] = useState<Fields>({ kind: isOwner ? "team" : "fleet", team: person?.teams?.[0] ?? "", catalog: "", namespace: "", pattern: "", key: "", value: "" });
  const [typed, setTyped] = useState<string | null>(null);
  const [preset, setPreset] = useState(first);
  const presets = useQuery(presetsQuery);
  const navigate = useNavigate();
  const scope = scopeOf(fields);
  const name = typed ?? (scope === null ? "" : suggestedName(scope));
  const isNamed = NAME.test(name);
  const open = () => {
    const apply = preset === "" ? {} : { apply: JSON.stringify({ preset }) };
    void navigate({ to: "/policies/$name", params: { name }, search: { scope: JSON.stringify(scope), ...apply } });
  };
  return (
    <Modal opened onClose={onClose} title="Create a policy" closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (scope !== null && isNamed) open();
        }}
      >
        <Stack gap="sm">
          <NativeSelect
            label="Scope"
            description={isOwner ? "Owners create policies of their teams; other scopes need the role admin." : "Which tables it covers. It stays as long as the policy exists."}
            data={SCOPE_KINDS.filter(([kind]) => !isOwner || kind === "team").map(([kind, covers]) => ({ value: kind, label: `${kind}: ${covers}` }))}
            value={fields.kind}
            onChange={({ currentTarget }) => setFields({ ...fields, kind: currentTarget.value as ScopeKind })}
          />
          <ScopeFields fields={fields} teams={person?.teams ?? null} onChange={(patch) => setFields({ ...fields, ...patch })} />
          <TextInput
            label="Name"
            description="1 to 64 letters, digits, “_” or “-”; not beginning with “tbl_”"
            value={name}
            error={name !== "" && !isNamed ? "The name has other characters, or begins with them." : null}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <NativeSelect
            label="Begin with"
            data={[{ value: "", label: "no setting" }, ...(presets.data?.items ?? []).map(({ name: each }) => ({ value: each, label: `the preset ${each}` }))]}
            value={preset}
            onChange={({ currentTarget }) => setPreset(currentTarget.value)}
          />
          <Text size="sm" c="dimmed">
            Nothing is written yet: the editor opens and shows what the policy would change.
          </Text>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" disabled={scope === null || !isNamed}>
              Continue in the editor
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function ScopeFields({ fields, teams, onChange }: { fields: Fields; teams: readonly string[] | null; onChange: (patch: Partial<Fields>) => void }) {
  const text = (name: keyof Fields, label: string, placeholder: string) => (
    <TextInput label={label} placeholder={placeholder} required value={fields[name]} onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value })} />
  );
  switch (fields.kind) {
    case "team":
      return teams === null ? (
        text("team", "Team", "growth")
      ) : (
        <NativeSelect label="Team" data={[...teams]} value={fields.team} onChange={({ currentTarget }) => onChange({ team: currentTarget.value })} />
      );
    case "catalog":
      return <CatalogSelect value={fields.catalog} onChange={(catalog) => onChange({ catalog })} />;
    case "namespace":
      return (
        <>
          <CatalogSelect value={fields.catalog} onChange={(catalog) => onChange({ catalog })} />
          {text("namespace", "Namespace, levels joined by dots", "shop")}
        </>
      );
    case "pattern":
      return text("pattern", "Pattern of catalog.namespace.name: * any characters, ? one", "lake.*.events_*");
    case "label":
      return (
        <Group grow>
          {text("key", "Key", "tier")}
          <TextInput label="Value" placeholder="gold" value={fields.value} onChange={({ currentTarget }) => onChange({ value: currentTarget.value })} />
        </Group>
      );
    case "fleet":
      return null;
  }
}

function CatalogSelect({ value, onChange }: { value: string; onChange: (catalog: string) => void }) {
  const catalogs = useQuery(catalogNamesQuery);
  const names = catalogs.data ?? [];
  return <NativeSelect label="Catalog" required data={[{ value: "", label: "choose a catalog" }, ...names]} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}

/** Return the scope that the fields name; null while something is missing. */
function scopeOf({ kind, team, catalog, namespace, pattern, key, value }: Fields): Scope | null {
  const levels = namespace.split(".");
  switch (kind) {
    case "fleet":
      return { kind };
    case "team":
      return team === "" ? null : { kind, team };
    case "catalog":
      return catalog === "" ? null : { kind, catalog };
    case "namespace":
      return catalog === "" || levels.some((level) => level === "") ? null : { kind, catalog, namespace: levels };
    case "pattern":
      return pattern === "" ? null : { kind, pattern };
    case "label":
      return key === "" || key.includes(":") ? null : { kind, key, value };
  }
}
