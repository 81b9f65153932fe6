/** How a run ended: the reason, its detail, and what to do about a failure. */
import { Alert, Code, Text } from "@mantine/core";
import type { RunDetail } from "../runQueries";
import { reasonText, remedyOf } from "../words";
import { PageLink } from "../../../parts/links";
import { RemedyLink } from "../../../parts/Remedy";

const COLORS: Readonly<Record<string, string>> = { succeeded: "green", failed: "red", cancelled: "orange", skipped: "gray", refused: "orange" };
const TITLES: Readonly<Record<string, string>> = {
  succeeded: "Succeeded",
  failed: "Failed",
  cancelled: "Cancelled",
  skipped: "Skipped: the table is unchanged",
  refused: "Refused: the table, its policy or the request must be changed first",
};

export function Ending({ run }: { run: RunDetail }) {
  if (!run.is_terminal) return null;
  const remedy = run.state === "failed" || run.state === "refused" ? remedyOf(run.reason) : null;
  return (
    <Alert color={COLORS[run.state] ?? "gray"} variant="outline" title={TITLES[run.state] ?? run.state} mb="md">
      {run.reason !== null && (
        <Text size="sm">
          {sentence(reasonText(run.reason))} <Code>{run.reason}</Code>
        </Text>
      )}
      {run.detail !== null && (
        <Text size="sm" className="wrap-anywhere">
          {run.detail}
        </Text>
      )}
      {remedy !== null && (
        <Text size="sm" fw={500} mt="xs">
          {remedy}
        </Text>
      )}
      {run.remedy !== null && <RemedyLink remedy={run.remedy} />}
      {run.state !== "succeeded" && run.table !== null && (
        <PageLink to="/tables/$tableId" params={{ tableId: run.table_id }} search={{ tab: "explain" }} size="sm" className="no-print">
          See why the table runs or does not run now
        </PageLink>
      )}
    </Alert>
  );
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
