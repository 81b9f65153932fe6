/** A policy of a wider scope than one table: the fleet, a team, a catalog, a namespace, a pattern or a label. */
import { Alert, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { whoamiQuery } from "../../api/queries";
import { PageLink } from "../../parts/links";
import { Answer, Empty, PageHead } from "../../parts/states";
import { useUrlState } from "../../parts/useUrlState";
import { LoadedPolicy } from "./LoadedPolicy";
import { readScope, type Scope, scopeText } from "./logic/scopes";
import "./policy.css";
import { EDITOR_STATE } from "./PolicyEditor";
import { storedQuery, useMayWrite } from "./policyQueries";
import { scopedTarget, type Stored } from "./policyTarget";
import { Versions } from "./versions/Versions";

export { EDITOR_STATE as SEARCH } from "./PolicyEditor";

export default function ScopedPolicyPage() {
  const { name } = useParams({ strict: false }) as { name: string };
  return <OfName key={name} name={name} />;
}

function OfName({ name }: { name: string }) {
  const [state] = useUrlState(EDITOR_STATE);
  const asked = useMemo(() => scopedTarget(name, null), [name]);
  const stored = useQuery(storedQuery(asked));
  const person = useQuery(whoamiQuery);
  const wanted = useMemo(() => readScope(state.scope), [state.scope]);
  return (
    <Answer query={person} height={600}>
      {() => (
        <Answer query={stored} height={600}>
          {(found) => <Found name={name} stored={found} wanted={wanted} />}
        </Answer>
      )}
    </Answer>
  );
}

function Found({ name, stored, wanted }: { name: string; stored: Stored | null; wanted: Scope | null }) {
  const scope = stored?.scope ?? wanted;
  const key = JSON.stringify(scope);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the key stands for the scope
  const target = useMemo(() => scopedTarget(name, scope), [name, key]);
  if (scope === null) return <Missing name={name} />;
  const isTaken = stored !== null && wanted !== null && JSON.stringify(stored.scope) !== JSON.stringify(wanted);
  return (
    <>
      {isTaken && (
        <Alert color="yellow" variant="outline" mb="sm" title="The name is taken">
          <Text size="sm" className="wrap-anywhere">
            This policy exists already, for {scopeText(scope)}. For {scopeText(wanted)} choose another name.
          </Text>
        </Alert>
      )}
      <LoadedPolicy
        target={target}
        scope={scope}
        tableId={null}
        sub={<>Covers {scopeText(scope)}; the scope stays as long as the policy exists.</>}
        missing={
          <Alert color="blue" variant="outline" mb="sm" title="This policy does not exist yet">
            <Text size="sm">Set what it should change for all tables of its scope, look at the effect, and create it. Settings that it leaves out are inherited.</Text>
          </Alert>
        }
      />
    </>
  );
}

/** No policy has the name: it may have been deleted, and then its versions are left. */
function Missing({ name }: { name: string }) {
  const target = useMemo(() => scopedTarget(name, null), [name]);
  const mayWrite = useMayWrite(null) === true;
  const [state, change] = useUrlState(EDITOR_STATE);
  return (
    <>
      <PageHead title={<>Policy {name}</>} />
      <Empty title="There is no policy of this name">
        It may be deleted, or hidden from your team.{" "}
        <PageLink to="/policies" underline="always">
          Look at all policies
        </PageLink>
        , or restore one of its versions below.
      </Empty>
      <Versions target={target} stored={null} mayWrite={mayWrite} isDirty={false} selected={state.version} onSelect={(version) => change({ version })} onRestored={() => undefined} />
    </>
  );
}
