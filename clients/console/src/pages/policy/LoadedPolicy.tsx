/** Fetch the schema and the stored policy of a target, then show its editor. */
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useRef } from "react";
import { Answer } from "../../parts/states";
import type { SchemaNode } from "./logic/schema";
import type { Scope } from "./logic/scopes";
import { PolicyEditor } from "./PolicyEditor";
import { schemaQuery, storedQuery } from "./policyQueries";
import type { PolicyTarget, Stored } from "./policyTarget";

export interface LoadedPolicyProps {
  readonly target: PolicyTarget;
  readonly scope: Scope | null;
  readonly tableId: string | null;
  readonly sub: ReactNode;
  /** Explanation while there is no policy. */
  readonly missing: ReactNode;
}

export function LoadedPolicy(props: LoadedPolicyProps) {
  const schema = useQuery(schemaQuery);
  const stored = useQuery(storedQuery(props.target));
  return (
    <Answer query={schema} height={600}>
      {(root) => (
        <Answer query={stored} height={600}>
          {(found) => <Opened {...props} root={root} stored={found} storedAt={stored.dataUpdatedAt} />}
        </Answer>
      )}
    </Answer>
  );
}

function Opened({ target, scope, tableId, sub, missing, root, stored, storedAt }: LoadedPolicyProps & { root: SchemaNode; stored: Stored | null; storedAt: number }) {
  const first = useRef(stored);
  return <PolicyEditor {...{ target, scope, tableId, sub, root, stored, storedAt }} first={first.current} explanation={stored === null ? missing : null} />;
}
