/** The decision as a tree of questions: watched, eligible, due, free to start, next start. */
import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { counted } from "../../../format/sizes";
import { Badge, RunStateBadge, VerdictBadge } from "../../../parts/badges";
import { RunLink } from "../../../parts/links";
import { RemedyLink } from "../../../parts/Remedy";
import { Ago, Time } from "../../../parts/Time";
import { holdText } from "../../fleet/holds/holds";
import type { Explanation } from "../tableQueries";
import { ConditionRows } from "./ConditionRows";
import { NowBranch } from "./NowBranch";
import { RuleBranch } from "./RuleBranch";

type Answered = "yes" | "no" | "unknown";

export function DecisionTree({ explanation }: { explanation: Explanation }) {
  const { conditions, next_eligible: next } = explanation;
  const isFree = next.held_by.length === 0;
  return (
    <ol className="tree" aria-label="Decision">
      <Watched explanation={explanation} />
      <Step question="Can it be rewritten?" answer={answerOf(explanation.eligible)} words={eligibleWords(explanation)}>
        <details open={explanation.eligible === false}>
          <summary>{counted(conditions.length, "condition")} of the table</summary>
          <ul className="plain-list">
            {conditions.map(({ name, holds, detail }) => (
              <li key={name} style={{ fontSize: 13, padding: "2px 0" }} className="wrap-anywhere">
                <Badge tone={holds ? "good" : "bad"}>{holds ? "holds" : "fails"}</Badge> {name.replaceAll("_", " ")}: {detail}
              </li>
            ))}
          </ul>
        </details>
      </Step>
      <Due explanation={explanation} />
      <Step
        question="Is it free to start?"
        answer={isFree ? "yes" : "no"}
        words={isFree ? "Nothing holds it back." : `Held back by ${counted(next.held_by.length, "thing")}.`}
      >
        {next.held_by.map((hold) => (
          <div key={hold.code + hold.text} className="tree-branch wrap-anywhere">
            <Badge tone="waiting">{holdText(hold.code)}</Badge>{" "}
            {hold.until === null ? (
              <Text span size="sm">
                until it ends: no time is known
              </Text>
            ) : (
              <Text span size="sm">
                until <Time at={hold.until} /> (<Ago at={hold.until} />)
              </Text>
            )}
            <Text size="sm">{hold.text}</Text>
            {hold.remedy !== null && <RemedyLink remedy={hold.remedy} />}
          </div>
        ))}
      </Step>
      <Step question="What would a run do now?" answer={explanation.now.outcome === "rewrite" ? "yes" : explanation.now.outcome === "unknown" ? "unknown" : "no"} words={outcomeWords(explanation)}>
        <NowBranch now={explanation.now} />
      </Step>
      <Step question="When is the next start?" answer={explanation.starts_at === null ? "no" : "yes"} words={<NextStart explanation={explanation} />} />
    </ol>
  );
}

const SIGNS: Record<Answered, [string, string]> = { yes: ["✓", "badge-good"], no: ["✕", "badge-waiting"], unknown: ["?", "badge-quiet"] };

function Step({ question, answer, words, children }: { question: string; answer: Answered; words: ReactNode; children?: ReactNode }) {
  const [sign, tone] = SIGNS[answer];
  return (
    <li>
      <span className={`tree-dot ${tone}`} aria-hidden="true">
        {sign}
      </span>
      <h3 className="tree-question">
        {question} <span className="visually-hidden">{answer}.</span>
      </h3>
      <Text size="sm" component="div" className="wrap-anywhere">
        {words}
      </Text>
      {children}
    </li>
  );
}

const answerOf = (holds: boolean | null): Answered => (holds === null ? "unknown" : holds ? "yes" : "no");

function Watched({ explanation }: { explanation: Explanation }) {
  const { watch, would_start_by_itself: isWatched } = explanation;
  const enabled = explanation.settings.enabled?.value !== false;
  return (
    <Step
      question="Is it watched?"
      answer={isWatched ? "yes" : "no"}
      words={isWatched ? "Its policy is enabled and a coordinator looks at it." : enabled ? "No coordinator watches it: runs start by request only." : "Its policy has enabled: false, so runs start by request only."}
    >
      {watch !== null && (
        <Text size="sm" component="div">
          <VerdictBadge verdict={watch.verdict} /> {watch.looked_at !== null && (
            <>
              at the last look (<Ago at={watch.looked_at} />)
            </>
          )}
          {isWatched && (
            <>
              ; the next look is due <Ago at={watch.next_look_at} />
            </>
          )}
          {watch.changed_at !== null && (
            <>
              ; the last commit was found <Ago at={watch.changed_at} />
            </>
          )}
          .
        </Text>
      )}
    </Step>
  );
}

function eligibleWords({ eligible, conditions }: Explanation): string {
  const failed = conditions.filter(({ holds }) => !holds);
  if (eligible === null) return "Not known: the table can't be read now.";
  if (eligible) return "Every condition holds.";
  return `No: ${failed.map(({ detail }) => detail).join("; ")}`;
}

function Due({ explanation }: { explanation: Explanation }) {
  const { triggers, due, upkeep } = explanation;
  const rules = triggers?.rules ?? [];
  const dueRules = rules.filter((rule) => rule.due).length;
  const words = due === null ? "Not known: the table can't be read now." : due ? `${counted(dueRules, "rule")} of ${rules.length} make it due.` : rules.length === 0 ? "Its policy has no rules." : `None of ${counted(rules.length, "rule")} makes it due.`;
  return (
    <Step question="Is it due?" answer={answerOf(due)} words={words}>
      {rules.toSorted((one, other) => Number(other.due) - Number(one.due)).map((rule) => (
        <RuleBranch key={`${rule.kind} ${rule.name}`} rule={rule} />
      ))}
      {triggers?.seal.is_on && (
        <Text size="sm" mt="xs">
          Seal: {counted(triggers.seal.sealed_partitions, "partition")} sealed, {triggers.seal.unsealed_partitions} not; the next is sealed{" "}
          <Ago at={triggers.seal.next_sealed_at} />.
        </Text>
      )}
      {triggers?.advice.map(({ text }) => (
        <Text key={text} size="sm" mt="xs">
          {text}
        </Text>
      ))}
      {upkeep.map((one) => (
        <details key={one.operation} className="tree-branch" open={one.due}>
          <summary>
            <Badge tone={one.due ? "waiting" : "quiet"}>{one.due ? "due" : "not due"}</Badge> Upkeep: {one.operation.replaceAll("_", " ")}
          </summary>
          <Text size="sm">{one.detail}</Text>
          <ConditionRows conditions={one.conditions} />
        </details>
      ))}
    </Step>
  );
}

function outcomeWords({ now, next_eligible: { held_by: holds } }: Explanation): string {
  const waits = holds.filter((hold) => hold.holds_requests).map(({ code }) => code.replaceAll("_", " "));
  const words = {
    rewrite: waits.length > 0 ? `Wait for ${waits.join(", ")}, then rewrite.` : "Rewrite files, also without a rule that is due.",
    nothing_to_do: "Nothing: no file is worth a rewrite.",
    refused: "It would be refused.",
    disabled: "Nothing starts automatically: the policy is disabled.",
    unknown: "Not known: the table can't be read now.",
  } as const;
  return `${words[now.outcome]}${now.because === null ? "" : ` ${now.because.text}`}`;
}

function NextStart({ explanation }: { explanation: Explanation }) {
  const { starts, starts_at: at, live_run: live, last_run: last } = explanation;
  return (
    <>
      {at !== null && (
        <strong>
          <Time at={at} /> (<Ago at={at} />).{" "}
        </strong>
      )}
      {starts.text}{" "}
      {starts.remedy !== null && <RemedyLink remedy={starts.remedy} />}
      {[live, last].map(
        (run) =>
          run !== null && (
            <div key={run.id}>
              {run === live ? "Live run: " : "Last run: "}
              <RunLink runId={run.id}>{run.operation.replaceAll("_", " ")}</RunLink> <RunStateBadge state={run.state} waitingFor={run.waiting_for} /> {run.detail}
            </div>
          ),
      )}
    </>
  );
}
