/** The stored documents of a run as JSON, folded until they are asked for. */
import { CopyButton, Button } from "@mantine/core";
import { useState } from "react";
import { Section } from "../../../parts/states";
import type { RunDetail } from "../runQueries";

const PARTS = [
  ["request", "Request", "what was asked for"],
  ["policy", "Policy", "the effective policy that it was planned under, with the origin of each setting"],
  ["plan", "Plan", "summary and prediction"],
  ["result", "Result", "measured figures and proofs"],
] as const;

export function Documents({ run }: { run: RunDetail }) {
  return (
    <Section title="Documents">
      {PARTS.map(([part, title, about]) => (
        <Document key={part} title={title} about={about} value={run[part]} />
      ))}
    </Section>
  );
}

function Document({ title, about, value }: { title: string; about: string; value: object }) {
  const [isOpen, setIsOpen] = useState(false);
  const known = Object.fromEntries(Object.entries(value).filter(([, each]) => !isUnknown(each)));
  const isEmpty = Object.keys(known).every((name) => name === "operation");
  return (
    <details className="document" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {title} <span className="dim">({isEmpty ? "empty so far" : about})</span>
      </summary>
      {isOpen && <Text value={known} title={title} />}
    </details>
  );
}

/** Return whether a figure was not measured, or a list or map has no entries: the document is short without them. */
function isUnknown(value: unknown): boolean {
  return value === null || (typeof value === "object" && Object.keys(value).length === 0);
}

function Text({ value, title }: { value: unknown; title: string }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Button size="compact-xs" variant="default" onClick={copy} my={4} className="no-print">
            {copied ? "Copied" : `Copy the ${title.toLowerCase()}`}
          </Button>
        )}
      </CopyButton>
      <pre className="document-text" tabIndex={0} aria-label={`${title} as JSON`}>
        {text}
      </pre>
    </>
  );
}
