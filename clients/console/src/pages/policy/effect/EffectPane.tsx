/** "What would change": the effect of the unsaved document, asked for while it is typed. */
import { Alert, Text } from "@mantine/core";
import { InvalidInputError } from "@packhouse/client";
import type { UseQueryResult } from "@tanstack/react-query";
import { localTime } from "../../../format/times";
import { Problem } from "../../../parts/Problem";
import { Section, Waiting } from "../../../parts/states";
import type { Preview } from "../policyTarget";
import { PreviewView } from "./PreviewView";

export interface EffectPaneProps {
  readonly query: UseQueryResult<Preview>;
  readonly isDirty: boolean;
  readonly isNew: boolean;
  readonly mayWrite: boolean;
  /** Whether the text has errors that this page found itself. */
  readonly isWrong: boolean;
  /** Whether the document changed since the effect was asked for. */
  readonly isBehind: boolean;
  readonly writers: string;
}

export function EffectPane({ query, isDirty, isNew, mayWrite, isWrong, isBehind, writers }: EffectPaneProps) {
  const isStale = isBehind || query.isFetching || query.isPlaceholderData;
  const aside = isDirty && mayWrite && (
    <Text size="sm" c="dimmed" role="status">
      {isWrong ? "Waits for correct YAML" : isStale ? "Updating" : query.data !== undefined && `Dry run of ${localTime(query.dataUpdatedAt).slice(11)}`}
    </Text>
  );
  return (
    <Section title="What would change" aside={aside}>
      <Content {...{ query, isDirty, isNew, mayWrite, isWrong, writers }} isStale={isStale} />
    </Section>
  );
}

function Content({ query, isDirty, isNew, mayWrite, isWrong, writers, isStale }: Omit<EffectPaneProps, "isBehind"> & { isStale: boolean }) {
  if (!mayWrite) return <Text size="sm">{writers} With your key the policy and its effect can be read, not tried.</Text>;
  if (!isDirty && !isNew) return <Text size="sm">Nothing: there are no unsaved changes. Change a setting to see tables, settings and runs that it would affect, before it is saved.</Text>;
  if (isWrong) return <Text size="sm">The effect is shown as soon as the errors in the YAML are corrected.</Text>;
  if (query.isError && !isStale) return <Refused error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <Waiting height={140} label="Asking what would change" />;
  return (
    <div className={isStale ? "policy-stale" : undefined} aria-busy={isStale}>
      <PreviewView preview={query.data} />
    </div>
  );
}

function Refused({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!(error instanceof InvalidInputError)) return <Problem error={error} onRetry={onRetry} />;
  return (
    <Alert color="red" variant="outline" title="The server would refuse this policy">
      <Text size="sm">{error.problem.detail}</Text>
      <ul className="policy-reasons">
        {error.errors.map(({ pointer, message, hint }) => (
          <li key={pointer + message} className="wrap-anywhere">
            <code>{pointer}</code> {message}
            {hint !== null && hint !== undefined && `: ${hint}`}
          </li>
        ))}
      </ul>
    </Alert>
  );
}
