/** The connection of a catalog: its properties, and its check step by step. */
import { Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { packhouse, type Schemas } from "../../api/client";
import { useRole } from "../../api/queries";
import { commandLine } from "../../format/commands";
import { RoleButton } from "../../parts/actions";
import { CopyAs } from "../../parts/CopyAs";
import { FormDialog } from "../../parts/FormDialog";
import { Problem } from "../../parts/Problem";
import { Section, Waiting } from "../../parts/states";
import { useUrlState } from "../../parts/useUrlState";
import { type Catalog, catalogQuery, etagOf, pathOf } from "./catalogQueries";
import { CheckSteps } from "./CheckSteps";
import { type Content, ContentFields } from "./ContentFields";
import { contentWords, linesOf, problemOfRows, propertiesOf, rowsOf } from "./propertiesForm";

export function ConnectionPanel({ catalog }: { catalog: Catalog }) {
  return (
    <div className="two-columns">
      <CheckSection name={catalog.name} />
      <PropertiesSection catalog={catalog} />
    </div>
  );
}

export const CHECK_STATE = { check: "" };

function CheckSection({ name }: { name: string }) {
  const [{ check: wanted }, setUrl] = useUrlState(CHECK_STATE);
  const { has } = useRole();
  const check = useMutation({ mutationFn: () => packhouse.post("/v1/catalogs/{name}/check", { params: { path: { name } } }) });
  const { mutate } = check;
  const isAdmin = has("admin");
  useEffect(() => {
    if (wanted !== "now" || !isAdmin) return;
    mutate();
    setUrl({ check: "" });
  }, [wanted, isAdmin, mutate, setUrl]);
  return (
    <Section
      title="Check"
      aside={
        <Group gap="xs">
          <CopyAs request={{ method: "POST", path: pathOf(name, "/check") }} cli={commandLine("packhouse", "catalogs", "check", name)} />
          <RoleButton needs="admin" size="xs" loading={check.isPending} onClick={() => mutate()}>
            Check the connection
          </RoleButton>
        </Group>
      }
    >
      {check.isIdle && (
        <Text size="sm" c="dimmed">
          The check reads the secrets, opens the catalog, lists namespaces and tables, and reads one table. It changes nothing.
        </Text>
      )}
      {check.isPending && <Waiting height={220} label="Checking the connection" />}
      {check.isError && <Problem error={check.error} onRetry={() => mutate()} />}
      {check.data !== undefined && !check.isPending && <CheckSteps check={check.data as Schemas["CatalogCheck"]} catalog={name} />}
    </Section>
  );
}

function PropertiesSection({ catalog }: { catalog: Catalog }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <Section
      title="Properties"
      aside={
        <RoleButton needs="admin" size="xs" variant="default" onClick={open}>
          Replace properties
        </RoleButton>
      }
    >
      {isOpen && <ReplaceDialog first={catalog} onClose={close} />}
      {catalog.properties === null ? (
        <Text size="sm" c="dimmed">
          Properties and allowed locations are shown to admins only.
        </Text>
      ) : (
        <PropertiesTable catalog={catalog} />
      )}
    </Section>
  );
}

function PropertiesTable({ catalog }: { catalog: Catalog }) {
  const locations = catalog.allowed_locations ?? [];
  return (
    <>
      <dl className="pairs">
        {Object.entries(catalog.properties ?? {}).map(([name, value]) => (
          <div key={name}>
            <dt className="wrap-anywhere">{name}</dt>
            <dd className="wrap-anywhere">{value}</dd>
          </div>
        ))}
        <div>
          <dt>Allowed locations</dt>
          <dd className="wrap-anywhere">{locations.length === 0 ? "anywhere that the deployment allows" : locations.join(", ")}</dd>
        </div>
        <div>
          <dt>Files outside of a table's location</dt>
          <dd>{catalog.outside_files === "refuse" ? "refused" : "accepted below the allowed locations"}</dd>
        </div>
      </dl>
    </>
  );
}

const contentOf = (catalog: Catalog): Content => ({
  rows: rowsOf(catalog.properties ?? {}),
  locations: (catalog.allowed_locations ?? []).join("\n"),
  outside: catalog.outside_files,
});

function ReplaceDialog({ first, onClose }: { first: Catalog; onClose: () => void }) {
  const queries = useQueryClient();
  const [catalog, setCatalog] = useState(first);
  const [content, setContent] = useState(() => contentOf(first));
  const { name } = first;
  const body = {
    properties: propertiesOf(content.rows),
    allowed_locations: linesOf(content.locations),
    outside_files: content.outside,
  };
  const header = { "if-match": etagOf(catalog) };
  const reload = async () => {
    const latest = await queries.fetchQuery({ ...catalogQuery(name), staleTime: 0 });
    setCatalog(latest);
    setContent(contentOf(latest));
  };
  return (
    <FormDialog
      title={`Replace the properties of ${name}`}
      onClose={onClose}
      description={`Version ${catalog.version} is replaced as a whole; grants stay. Runs that begin afterwards use the new connection, and a breaker of the catalog closes.`}
      submit="Save"
      blocked={problemOfRows(content.rows)}
      act={() => packhouse.put("/v1/catalogs/{name}", { params: { path: { name }, header }, body })}
      done={`The properties of ${name} are saved. Check the connection next.`}
      onReload={() => void reload()}
      request={{ method: "PUT", path: pathOf(name), body, headers: { "If-Match": etagOf(catalog) } }}
      cli={commandLine("packhouse", "catalogs", "set", name, "--format", catalog.format, contentWords(body))}
      size="xl"
    >
      <ContentFields content={content} onChange={setContent} />
    </FormDialog>
  );
}
