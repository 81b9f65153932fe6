/** Policies of wider scopes than one table, and the presets that a policy can begin with. */
import { useQuery } from "@tanstack/react-query";
import { Button } from "@mantine/core";
import { packhouse } from "../../api/client";
import { REFRESH, whoamiQuery } from "../../api/queries";
import { commandLine } from "../../format/commands";
import { CopyAs } from "../../parts/CopyAs";
import { Problem } from "../../parts/Problem";
import { Empty, PageHead, Section, Waiting } from "../../parts/states";
import { usePages } from "../../parts/usePages";
import { useUrlState } from "../../parts/useUrlState";
import { CreatePolicy } from "./list/CreatePolicy";
import { Presets } from "./list/Presets";
import { ScopedList } from "./list/ScopedList";
import "./policy.css";

export const SEARCH = { kind: "", find: "", create: "", preset: "" };

export default function PoliciesPage() {
  const [state, change] = useUrlState(SEARCH);
  const { data: person } = useQuery(whoamiQuery);
  const isOpen = state.create !== "";
  const { query, items, more, isFetchingMore } = usePages(
    ["policies"],
    (token, signal) => packhouse.get("/v1/policies", { params: { query: { page_size: 200, ...(token === undefined ? {} : { page_token: token }) } }, signal }),
    { refetchMs: REFRESH.list },
  );
  const mayCreate = person?.role === "admin" || person?.role === "owner";
  const create = (preset: string) => change({ create: "yes", preset });
  return (
    <>
      <PageHead title="Policies" sub="One policy for many tables: the fleet, a team, a catalog, a namespace, a pattern of addresses, or a label. A table's own policy is on the page of the table.">
        <CopyAs request={{ method: "GET", path: "/v1/policies?page_size=200" }} cli={commandLine("packhouse", "policy", "list")} />
        <Button size="xs" disabled={!mayCreate} title={mayCreate ? undefined : "Admins create policies, and owners those of their teams."} onClick={() => create("")}>
          Create a policy
        </Button>
      </PageHead>
      <Section title="Policies by scope, the weakest first">
        {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
        {query.isPending && <Waiting height={240} />}
        {query.isSuccess && items.length === 0 && (
          <Empty title="No policy of a wider scope">
            All tables follow the defaults and the preset balanced, unless they have a policy of their own.{" "}
            {mayCreate ? "Create one to set limits, quiet hours or triggers for many tables at once." : "Admins create policies, and owners those of their teams."}
          </Empty>
        )}
        {items.length > 0 && <ScopedList {...{ items, more, isFetchingMore }} kind={state.kind} find={state.find} onFilter={change} />}
      </Section>
      <Presets mayCreate={mayCreate} onStart={create} />
      {isOpen && (
        <CreatePolicy
          person={person}
          preset={state.preset}
          onClose={() => change({ create: "", preset: "" })}
        />
      )}
    </>
  );
}
