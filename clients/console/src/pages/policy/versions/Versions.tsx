/** All that was ever written of a policy: who, when, why, which settings; and a way back. */
import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { commandLine } from "../../../format/commands";
import { counted } from "../../../format/sizes";
import { Badge } from "../../../parts/badges";
import { Problem } from "../../../parts/Problem";
import { type Column, RowsTable } from "../../../parts/RowsTable";
import { Empty, Section, Waiting } from "../../../parts/states";
import { Time } from "../../../parts/Time";
import { usePages } from "../../../parts/usePages";
import { SettingChanges } from "../effect/SettingChanges";
import { WriteDialog } from "../effect/WriteDialog";
import { type PolicyTarget, type PolicyVersion, restoreRequest, type Stored, writersOf } from "../policyTarget";
import { isNotFound } from "../../../api/problems";

export interface VersionsProps {
  readonly target: PolicyTarget;
  readonly stored: Stored | null;
  readonly mayWrite: boolean;
  readonly isDirty: boolean;
  /** Number of the version that is shown in full, as text; empty: none. */
  readonly selected: string;
  readonly onSelect: (version: string) => void;
  readonly onRestored: (stored: Stored) => void;
}

export function Versions({ target, stored, mayWrite, isDirty, selected, onSelect, onRestored }: VersionsProps) {
  const { query, items, more, isFetchingMore } = usePages(["policy-versions", target.id], (token, signal) => target.versions(token, signal), { refetchMs: 30_000 });
  const shown = items.find(({ version }) => String(version) === selected);
  const columns: Column<PolicyVersion>[] = [
    { key: "version", title: "Version", width: "80px", cell: ({ version }) => version },
    { key: "at", title: "Written", width: "160px", cell: ({ written_at: at }) => <Time at={at} /> },
    { key: "by", title: "By", cell: ({ written_by: by }) => <span className="cut">{by}</span> },
    { key: "changes", title: "Changes", cell: (version) => (version.is_deletion ? <Badge tone="warn">deleted</Badge> : counted(version.changes.length, "setting")) },
    { key: "message", title: "Message", cell: ({ message }) => (message === null ? <span className="dim">none</span> : <span className="cut" title={message}>{message}</span>) },
    {
      key: "show",
      title: "Details",
      width: "90px",
      cell: ({ version }) => (
        <Button size="compact-xs" variant="default" aria-label={`Show version ${version}`} aria-pressed={String(version) === selected} onClick={() => onSelect(String(version) === selected ? "" : String(version))}>
          Show
        </Button>
      ),
    },
  ];
  const isNone = query.isError && isNotFound(query.error);
  return (
    <Section title="Versions">
      {query.isError && !isNone && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Waiting height={120} />}
      {(isNone || (query.isSuccess && items.length === 0)) && <Empty title="Never written">The first save makes version 1. Each version can be restored later.</Empty>}
      {items.length > 0 && (
        <RowsTable label="Versions of the policy" columns={columns} rows={items} rowKey={({ version }) => String(version)} onMore={more} isFetchingMore={isFetchingMore} height={280} />
      )}
      {shown !== undefined && <VersionDetail {...{ target, stored, mayWrite, isDirty, onRestored }} version={shown} />}
    </Section>
  );
}

function VersionDetail({ version, target, stored, mayWrite, isDirty, onRestored }: Omit<VersionsProps, "selected" | "onSelect"> & { version: PolicyVersion }) {
  const [isOpen, setOpen] = useState(false);
  const etag = stored?.etag ?? null;
  const isCurrent = stored?.version === version.version;
  const obstacle = version.is_deletion ? "A deletion can't be restored." : isCurrent ? "This is the current version." : !mayWrite ? writersOf(target) : isDirty ? "Save or discard your changes first." : null;
  return (
    <div className="card" style={{ marginTop: 8 }}>
      <Group justify="space-between" mb="xs">
        <Text size="sm" fw={600}>
          Version {version.version}: changes from the version before
        </Text>
        <Group gap="xs">
          {obstacle !== null && <Text size="sm" c="dimmed">{obstacle}</Text>}
          <Button size="xs" variant="default" disabled={obstacle !== null} onClick={() => setOpen(true)}>
            Restore version {version.version}
          </Button>
        </Group>
      </Group>
      {version.changes.length === 0 ? (
        <Text size="sm">{version.is_deletion ? "The policy was deleted; it had no settings." : "No setting changed."}</Text>
      ) : (
        <SettingChanges label={`Changes of version ${version.version}`} settings={version.changes} />
      )}
      {isOpen && (
        <WriteDialog
          title={`Restore version ${version.version}?`}
          description="Its settings are stored as the next version. This is what would change:"
          label="Restore"
          previewKey={["restore", target.id, version.version, etag]}
          preview={(signal) => target.previewRestore(version.version, signal)}
          write={(message) => target.restore(version.version, etag, message)}
          request={(message) => restoreRequest(target, version.version, etag, message)}
          cli={(message) => commandLine("packhouse", "policy", "restore", target.word, String(version.version), message !== "" && ["-m", message])}
          done={`Version ${version.version} is restored.`}
          onClose={() => setOpen(false)}
          onDone={(answer) => onRestored(answer as Stored)}
        />
      )}
    </div>
  );
}
