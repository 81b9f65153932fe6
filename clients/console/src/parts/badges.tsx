/** States in a word and a colour; the colour is never the only sign. */
import type { Schemas } from "../api/client";

type Tone = "good" | "bad" | "busy" | "waiting" | "quiet" | "warn";

export function Badge({ tone, children, title }: { tone: Tone; children: string; title?: string }) {
  return (
    <span className={`badge badge-${tone}`} {...(title === undefined ? {} : { title })}>
      {children}
    </span>
  );
}

const RUN_TONES: Record<Schemas["RunState"], Tone> = {
  queued: "waiting",
  planning: "busy",
  rewriting: "busy",
  committing: "busy",
  succeeded: "good",
  skipped: "quiet",
  refused: "warn",
  failed: "bad",
  cancelled: "warn",
};

export function RunStateBadge({ state, waitingFor }: { state: Schemas["RunState"]; waitingFor?: string | null }) {
  const text = state === "queued" && waitingFor ? `queued: ${waitingFor.replaceAll("_", " ")}` : state;
  return <Badge tone={RUN_TONES[state] ?? "quiet"}>{text}</Badge>;
}

const VERDICTS: Record<Schemas["Verdict"], [Tone, string]> = {
  new: ["quiet", "not looked at yet"],
  not_due: ["good", "not due"],
  held: ["waiting", "held back"],
  submitted: ["busy", "run submitted"],
  unreachable: ["bad", "unreachable"],
  disabled: ["quiet", "disabled"],
};

export function VerdictBadge({ verdict }: { verdict: Schemas["Verdict"] }) {
  const [tone, text] = VERDICTS[verdict] ?? ["quiet", verdict];
  return <Badge tone={tone}>{text}</Badge>;
}
