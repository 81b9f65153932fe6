/** API keys: who holds which role, for which teams, until when; make and revoke them. */
import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { REFRESH, useRole } from "../../api/queries";
import { commandLine } from "../../format/commands";
import { packhouse, type Schemas } from "../../api/client";
import { ActionButton, RoleButton } from "../../parts/actions";
import { Badge } from "../../parts/badges";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Answer, Empty, PageHead, Waiting } from "../../parts/states";
import { Ago, Time, useNow } from "../../parts/Time";
import { usePages } from "../../parts/usePages";
import { useUrlState } from "../../parts/useUrlState";
import { CreateKey } from "./CreateKey";
import { Forbidden } from "./Forbidden";
import { fetchKeys, type Key, type KeyState, stateOf } from "./keys";
import { SecretDialog } from "./SecretDialog";

const TONES: Readonly<Record<KeyState, "good" | "quiet" | "bad">> = { valid: "good", expired: "quiet", revoked: "bad" };
export const SEARCH = { show: "valid", create: "" };

export default function KeysPage() {
  const { role, has } = useRole();
  const [{ create }, setUrl] = useUrlState(SEARCH);
  const [made, setMade] = useState<Schemas["KeyCreated"] | null>(null);
  return (
    <>
      <PageHead title="Keys" sub="API keys and their roles">
        <RoleButton needs="admin" onClick={() => setUrl({ create: "yes" }, { push: true })}>
          Make a key
        </RoleButton>
      </PageHead>
      {role === undefined ? <Waiting height={300} /> : has("admin") ? <Keys /> : <Forbidden what="API keys" />}
      {create === "yes" && has("admin") && <CreateKey onClose={() => setUrl({ create: "" })} onMade={setMade} />}
      {made !== null && <SecretDialog made={made} onClose={() => setMade(null)} />}
    </>
  );
}

function Keys() {
  const [{ show }, setUrl] = useUrlState(SEARCH);
  const pages = usePages(["keys"], fetchKeys, { refetchMs: REFRESH.list });
  const nowMs = useNow(30_000);
  const keys = show === "all" ? pages.items : pages.items.filter((key) => stateOf(key, nowMs) === "valid");
  return (
    <>
      <SegmentedControl
        mb="sm"
        size="xs"
        aria-label="Keys shown"
        value={show === "all" ? "all" : "valid"}
        onChange={(value) => setUrl({ show: value })}
        data={[
          { value: "valid", label: "Valid keys" },
          { value: "all", label: "Revoked and expired too" },
        ]}
      />
      <Answer query={pages.query as never} height={300}>
        {() =>
          keys.length === 0 && !pages.hasMore ? (
            <Empty title="No key is valid">You are signed in by an identity provider. Make a key for programs that call the API.</Empty>
          ) : (
            <RowsTable
              label="API keys"
              columns={columns(nowMs)}
              rows={keys}
              rowKey={(key) => key.id}
              onMore={pages.more}
              isFetchingMore={pages.isFetchingMore}
            />
          )
        }
      </Answer>
    </>
  );
}

const columns = (nowMs: number): readonly Column<Key>[] => [
  { key: "name", title: "Name", cell: (key) => <span className="cut" title={key.id}>{key.slot === 1 ? key.name : `${key.name} (second)`}</span> },
  { key: "role", title: "Role", cell: (key) => key.role },
  { key: "teams", title: "Teams", cell: (key) => <span className="cut">{key.teams === null ? "every team" : key.teams.join(", ")}</span> },
  {
    key: "state",
    title: "State",
    cell: (key) => {
      const state = stateOf(key, nowMs);
      return <Badge tone={TONES[state]}>{state}</Badge>;
    },
  },
  { key: "used", title: "Last used", align: "right", cell: (key) => (key.last_used_at === null ? "never" : <Ago at={key.last_used_at} />) },
  { key: "expires", title: "Expires", align: "right", cell: (key) => (key.expires_at === null ? "never" : <Ago at={key.expires_at} />) },
  { key: "created", title: "Made", align: "right", cell: (key) => <Time at={key.created_at} /> },
  { key: "by", title: "Made by", cell: (key) => <span className="cut">{key.created_by}</span> },
  { key: "act", title: "Action", cell: (key) => (stateOf(key, nowMs) === "revoked" ? "–" : <Revoke apiKey={key} />) },
];

function Revoke({ apiKey }: { apiKey: Key }) {
  const params = { path: { key_id: apiKey.id } };
  return (
    <ActionButton
      needs="admin"
      size="compact-xs"
      variant="default"
      label="Revoke"
      aria-label={`Revoke the key ${apiKey.name}, ${apiKey.id}`}
      title={`Revoke the key ${apiKey.name}?`}
      description={
        <>
          It is refused everywhere within a second, for good. {apiKey.last_used_at === null ? "It was never used." : <>It was last used <Ago at={apiKey.last_used_at} />.</>}{" "}
          To replace it without a break, first make a second key of the same name and deploy it.
        </>
      }
      danger
      act={() => packhouse.post("/v1/keys/{key_id}/revoke", { params })}
      request={() => ({ method: "POST", path: `/v1/keys/${apiKey.id}/revoke` })}
      cli={() => commandLine("packhouse", "keys", "revoke", apiKey.id)}
      done={`The key ${apiKey.name} is revoked.`}
    />
  );
}
