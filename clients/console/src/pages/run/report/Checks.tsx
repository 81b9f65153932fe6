/** The verification of a run, check by check: what each proves, whether it holds, and what was found. */
import { Alert, Text } from "@mantine/core";
import { count, counted } from "../../../format/sizes";
import { duration } from "../../../format/times";
import { Badge } from "../../../parts/badges";
import { Section } from "../../../parts/states";
import type { Schemas } from "../../../api/client";
import type { RunDetail } from "../runQueries";
import { checkText, plain } from "../words";

type Proof = Schemas["Proof"];
type Check = Schemas["ProofCheck"];

const SHOWN = 20;
const MOST_CHARACTERS = 240;

export function Checks({ run }: { run: RunDetail }) {
  const proofs = run.result.verifications ?? [];
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
        <ProofTable key={`${proof.snapshot_id} ${index}`} proof={proof} />
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
  const checked = run.result.operation === "rewrite" ? run.result.checked : null;
  if (!checked?.mode) return null;
  const groups = checked.groups ?? 0;
  const text =
    groups > 0
      ? `The rows of ${counted(groups, "group")} (${count(checked.rows ?? null)} rows) were read again and compared before the commit, in ${duration(checked.seconds ?? null)}.`
      : "Row counts and bounds were compared from metadata; rows were not read again.";
  return (
    <Text size="sm" mb="xs">
      Mode {checked.mode}: {text}
    </Text>
  );
}

function ProofTable({ proof }: { proof: Proof }) {
  const checks = proof.checks ?? [];
  const holding = checks.filter(({ holds }) => holds).length;
  return (
    <div className="checks">
      <table className="plain-table">
        <caption>
          {subjectOf(proof)}: {holding} of {counted(checks.length, "check")} {checks.length === 1 ? "holds" : "hold"}
          {proof.taken_back && ". The table was rolled back to an earlier snapshot afterwards"}
        </caption>
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Result</th>
            <th scope="col">Found</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check, index) => (
            <CheckRow key={`${check.name} ${index}`} check={check} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Return what a proof is about: a snapshot, or a removal, which has none. */
function subjectOf(proof: Proof): string {
  if (proof.snapshot_id !== undefined) return `Snapshot ${proof.snapshot_id}`;
  return (proof.checks ?? []).some(({ name }) => name.startsWith("deleted")) ? "Deleted files" : "Expired snapshots";
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
