/** The verification of a run, check by check: what each proves, whether it holds, and what was found. */
import { Alert, Text } from "@mantine/core";
import { count, counted } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Badge } from "../../../parts/badges";
import { Section } from "../../../parts/states";
import { type Check, numberAt, objectAt, type Proof, proofsOf, textAt } from "./documents";
import type { RunDetail } from "../runQueries";
import { checkText, plain } from "../words";

const SHOWN = 20;
const MOST_CHARACTERS = 240;

export function Checks({ run }: { run: RunDetail }) {
  const proofs = proofsOf(run.result);
  if (proofs.length === 0) return null;
  const failed = proofs.filter(({ ok }) => !ok);
  // failed proofs first: they are what a person must see
  const shown = [...failed, ...proofs.filter(({ ok }) => ok).reverse()].slice(0, SHOWN);
  return (
    <Section title="Verification">
      {failed.length > 0 && (
        <Alert color="red" variant="outline" title="A proof failed" mb="sm">
          Inspect the table before anything else changes it: compare the snapshot below with the one before it. The table is rolled
          back or frozen; its page says which.
        </Alert>
      )}
      <Rows run={run} />
      {shown.map((proof, index) => (
        <ProofTable key={`${proof.snapshotId} ${index}`} proof={proof} />
      ))}
      {proofs.length > SHOWN && (
        <Text size="sm" c="dimmed">
          {shown.length} of {counted(proofs.length, "proof")} are shown; all are in the result document.
        </Text>
      )}
    </Section>
  );
}

/** Say how rows were compared before the commit. */
function Rows({ run }: { run: RunDetail }) {
  const checked = objectAt(run.result, "checked");
  const mode = textAt(checked, "mode");
  if (mode === null) return null;
  const groups = numberAt(checked, "groups") ?? 0;
  const text =
    groups > 0
      ? `The rows of ${counted(groups, "group")} (${count(numberAt(checked, "rows"))} rows) were read again and compared before the commit, in ${duration(numberAt(checked, "seconds"))}.`
      : "Row counts and bounds were compared from metadata; rows were not read again.";
  return (
    <Text size="sm" mb="xs">
      Mode {mode}: {text}
    </Text>
  );
}

function ProofTable({ proof }: { proof: Proof }) {
  const holding = proof.checks.filter(({ holds }) => holds).length;
  return (
    <div className="checks">
      <table className="plain-table">
        <caption>
          {subjectOf(proof)}: {holding} of {counted(proof.checks.length, "check")} {proof.checks.length === 1 ? "holds" : "hold"}
          {proof.takenBack && ". The table was rolled back to an earlier snapshot afterwards"}
        </caption>
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Result</th>
            <th scope="col">Found</th>
          </tr>
        </thead>
        <tbody>
          {proof.checks.map((check, index) => (
            <CheckRow key={`${check.name} ${index}`} check={check} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Return what a proof is about: a snapshot, or a removal, which has none. */
function subjectOf(proof: Proof): string {
  if (proof.snapshotId !== null) return `Snapshot ${proof.snapshotId}`;
  return proof.checks.some(({ name }) => name.startsWith("deleted")) ? "Deleted files" : "Expired snapshots";
}

function shortened(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS)}… (in full in the result document)`;
}

function CheckRow({ check }: { check: Check }) {
  return (
    <tr>
      <th scope="row">
        {checkText(check.name)}
        <span className="check-code">{plain(check.name)}</span>
      </th>
      <td>
        <Badge tone={check.holds ? "good" : "bad"}>{check.holds ? "holds" : "fails"}</Badge>
      </td>
      <td className="wrap-anywhere">{shortened(check.detail)}</td>
    </tr>
  );
}
