/** What a run that is submitted now waits for before it begins, and until when as far as that is known. */
import { Alert } from "@mantine/core";
import type { Schemas } from "../../../api/client";
import { Time } from "../../../parts/Time";

type Hold = Schemas["Hold"];

/** Return the holds on runs of an operation; of one besides rewrites only if the policy has switched it on. */
export function holdsOf(explanation: Schemas["Explanation"] | undefined, operation: Schemas["Operation"]): readonly Hold[] {
  if (operation === "rewrite") return explanation?.next_eligible.held_by ?? [];
  return explanation?.upkeep.find((one) => one.operation === operation)?.held_by ?? [];
}

export function StartWaits({ holds }: { holds: readonly Hold[] }) {
  if (holds.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title="The run would wait before it begins" role="status">
      <ul style={{ margin: 0, paddingInlineStart: 20 }}>
        {holds.map((hold) => (
          <li key={hold.code} className="wrap-anywhere">
            {hold.text} {hold.until === null ? "Its end is not known." : <>At least until <Time at={hold.until} />.</>}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
