/** Discovery: which tables a catalog has, what registering them would do, and registering them together. */
import { Button, Checkbox, Group, SimpleGrid, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../../api/client";
import { commandLine } from "../../../format/commands";
import { counted } from "../../../format/sizes";
import { acknowledged } from "../../../parts/Acknowledging";
import { ActionButton, RoleButton } from "../../../parts/actions";
import { CopyAs } from "../../../parts/CopyAs";
import { Problem } from "../../../parts/Problem";
import { Section, Waiting } from "../../../parts/states";
import { useUrlState } from "../../../parts/useUrlState";
import { type Catalog, pathOf } from "../catalogQueries";
import { DiscoveredTables } from "./DiscoveredTables";
import { type DiscoverFields, labelsOf, MOST_REGISTERED, patternOf, registrationOf } from "./discovery";

export const DISCOVER_STATE = { pattern: "*", team: "", labels: "", paused: "" };
type How = "list" | "try" | "register";

/** Send the request. `list` opens no table; `try` opens those that could be registered; `register` registers them. */
async function ask(name: string, fields: DiscoverFields, how: How): Promise<Schemas["Discovery"]> {
  const path = { name };
  if (how === "list") return packhouse.post("/v1/catalogs/{name}/discover", { params: { path }, body: { pattern: patternOf(fields) } });
  const body = registrationOf(fields);
  if (how === "try") return packhouse.post("/v1/catalogs/{name}/register/preview", { params: { path }, body });
  const send = (acknowledge: string | undefined) =>
    packhouse.post("/v1/catalogs/{name}/register", { params: { path, query: acknowledge === undefined ? {} : { acknowledge } }, body });
  return acknowledged(send, { verb: "Register" });
}

export function DiscoverPanel({ catalog }: { catalog: Catalog }) {
  const [fields, setUrl] = useUrlState(DISCOVER_STATE);
  const { name } = catalog;
  const discover = useMutation({
    meta: { isRead: true }, // the button that registers says that it writes
    mutationFn: async (how: How) => ({ found: await ask(name, fields, how), fields: JSON.stringify(fields), how }),
  });
  const shown = discover.data;
  const isOfFields = shown?.fields === JSON.stringify(fields);
  const wouldRegister = shown?.how === "try" && isOfFields ? (shown.found.counts["would_register"] ?? 0) : 0;
  const hasLabels = labelsOf(fields.labels) !== null;
  return (
    <Section title="Discover tables" aside={<CopyAs request={{ method: "POST", path: pathOf(name, "/register/preview"), body: registrationOf(fields) }} cli={commandLine("packhouse", "catalogs", "discover", name, "--pattern", patternOf(fields), "--register", "--dry-run")} />}>
      <Text size="sm" c="dimmed" mb="sm">
        List the tables of the catalog, see which would be registered, then register them together. Nothing is rewritten yet: the
        first automatic run of a new table waits 15 minutes, or until it is resumed if it is registered as paused.
      </Text>
      <Fields fields={fields} onChange={setUrl} />
      <Group gap="xs" my="md">
        <RoleButton needs="owner" variant="default" loading={discover.isPending && discover.variables === "list"} onClick={() => discover.mutate("list")}>
          List tables
        </RoleButton>
        <RoleButton needs="owner" loading={discover.isPending && discover.variables === "try"} disabled={!hasLabels} onClick={() => discover.mutate("try")}>
          Show what would be registered
        </RoleButton>
        {wouldRegister > 0 && (
          <ActionButton
            needs="owner"
            label={`Register ${counted(wouldRegister, "table")}`}
            title={`Register ${counted(wouldRegister, "table")}?`}
            description={<Consequence fields={fields} />}
            act={() => discover.mutateAsync("register")}
            request={() => ({ method: "POST", path: pathOf(name, "/register"), body: registrationOf(fields) })}
            cli={() => registerCommand(name, fields)}
            done="The tables are registered."
          />
        )}
      </Group>
      {discover.isError && <Problem error={discover.error} onRetry={() => discover.mutate(discover.variables)} />}
      {discover.isPending && <Waiting height={260} label="Looking at the catalog" />}
      {shown !== undefined && !discover.isPending && (
        <>
          {!isOfFields && (
            <Text size="sm" mb="xs" role="status">
              The fields were changed since: ask again to see what holds for them.
            </Text>
          )}
          <DiscoveredTables discovery={shown.found} how={shown.how} />
          {(shown.found.counts["not_tried"] ?? 0) > 0 && (
            <Button variant="default" size="xs" mt="xs" onClick={() => discover.mutate(shown.how === "register" ? "try" : shown.how)}>
              Go on with the rest
            </Button>
          )}
        </>
      )}
    </Section>
  );
}

function Fields({ fields, onChange }: { fields: DiscoverFields; onChange: (patch: Partial<DiscoverFields>) => void }) {
  const badLabels = labelsOf(fields.labels) === null;
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <TextInput
          label="Pattern"
          description="namespace.name; * any characters, ? one"
          value={fields.pattern}
          maxLength={255}
          onChange={(event) => onChange({ pattern: event.currentTarget.value })}
        />
        <TextInput
          label="Owner team"
          description="Its callers see and change the tables"
          value={fields.team}
          maxLength={128}
          onChange={(event) => onChange({ team: event.currentTarget.value })}
        />
        <TextInput
          label="Labels"
          description="Such as tier:gold, domain:sales"
          value={fields.labels}
          error={badLabels ? "Each label is key:value" : null}
          onChange={(event) => onChange({ labels: event.currentTarget.value })}
        />
      </SimpleGrid>
      <Checkbox
        mt="sm"
        label="Register as paused: nothing is rewritten before you resume each table"
        checked={fields.paused === "yes"}
        onChange={(event) => onChange({ paused: event.currentTarget.checked ? "yes" : "" })}
      />
    </>
  );
}

function Consequence({ fields }: { fields: DiscoverFields }) {
  return (
    <>
      They belong to {fields.team.trim() === "" ? "no team, so that only callers of every team see them" : <bdi>team {fields.team}</bdi>}.{" "}
      {fields.paused === "yes"
        ? "They are paused: each is measured, and rewritten only after it is resumed."
        : "Each is measured within a minute; its first automatic run waits 15 minutes."}{" "}
      At most {MOST_REGISTERED} are registered by one request.
    </>
  );
}

const registerCommand = (name: string, fields: DiscoverFields) =>
  commandLine(
    ["packhouse", "catalogs", "discover", name, "--pattern", fields.pattern || "*", "--register"],
    fields.team.trim() !== "" && ["--owner-team", fields.team.trim()],
    Object.entries(labelsOf(fields.labels) ?? {}).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
    fields.paused === "yes" && "--paused",
  );
