/** Dialog that makes an API key. */
import { Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { packhouse, type Schemas } from "../../api/client";
import { now } from "../../api/connection";
import type { Role } from "../../api/queries";
import { commandLine } from "../../format/commands";
import { fromLocalInput } from "../../format/localInput";
import { FormDialog } from "../../parts/FormDialog";
import { teamsOf } from "./keys";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const ROLES: readonly { value: Role; label: string }[] = [
  { value: "viewer", label: "viewer: read" },
  { value: "planner", label: "planner: also ask what a run would do, without starting it" },
  { value: "operator", label: "operator: also submit and cancel runs, pause and resume tables, send signals" },
  { value: "owner", label: "owner: also register and change tables of its teams, and write their policies" },
  { value: "admin", label: "admin: everything, of every team" },
];

export function CreateKey({ onClose, onMade }: { onClose: () => void; onMade: (made: Schemas["KeyCreated"]) => void }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [teams, setTeams] = useState("");
  const [expires, setExpires] = useState("");
  const instant = fromLocalInput(expires);
  const body = { name, role, teams: teamsOf(teams), expires_at: instant === "" ? null : instant };
  return (
    <FormDialog
      title="Make a key"
      onClose={onClose}
      description="Its secret is shown once, right afterwards. Two valid keys may have the same name while one replaces the other."
      submit="Make the key"
      blocked={problemOf(name, instant)}
      act={() => packhouse.post("/v1/keys", { body })}
      done={null}
      onDone={onMade}
      request={{ method: "POST", path: "/v1/keys", body }}
      cli={commandLine(["packhouse", "keys", "create", name, "--role", role], (body.teams ?? []).flatMap((team) => ["--team", team]), expires !== "" && ["--expires-at", `${expires}:00`])}
    >
      <TextInput
        label="Name"
        description="Of the program or person that holds it; records show key:name."
        required
        data-autofocus
        autoComplete="off"
        value={name}
        error={name === "" || NAME.test(name) ? null : "1 to 64 letters, digits, ., _ or -; it begins with a letter or digit"}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select label="Role" description="Each role includes those above it." data={ROLES} allowDeselect={false} value={role} onChange={(value) => setRole((value ?? "viewer") as Role)} />
      <TextInput
        label="Teams"
        description="Whose tables it sees and may change, separated by commas. Empty: every team."
        autoComplete="off"
        value={teams}
        onChange={(event) => setTeams(event.currentTarget.value)}
      />
      <TextInput
        label="Expires"
        description="In your time zone. Empty: never, until it is revoked."
        type="datetime-local"
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function problemOf(name: string, expiresAt: string): string | null {
  if (name === "") return "Give the key a name.";
  if (!NAME.test(name)) return "Correct the name.";
  return expiresAt !== "" && Date.parse(expiresAt) <= now() ? "The expiry is in the past." : null;
}
