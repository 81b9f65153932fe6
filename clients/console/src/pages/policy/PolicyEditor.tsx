/** The editor of one policy, of a table or of a wider scope: form, YAML, effect, quiet hours, versions. */
import { Alert, Box, Button, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { InvalidInputError } from "@packhouse/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { commandLine } from "../../format/commands";
import { CopyAs } from "../../parts/CopyAs";
import { PageHead } from "../../parts/states";
import { Ago } from "../../parts/Time";
import { useUrlState } from "../../parts/useUrlState";
import { ConflictDialog } from "./effect/ConflictDialog";
import { DeletePolicy } from "./effect/DeletePolicy";
import { EffectPane } from "./effect/EffectPane";
import { LeaveGuard } from "./effect/LeaveGuard";
import { SaveBar } from "./effect/SaveBar";
import { FormPane } from "./form/FormPane";
import { type Layers, standingOf } from "./form/inheritance";
import { Windows } from "./hours/Windows";
import type { SchemaNode } from "./logic/schema";
import type { Scope } from "./logic/scopes";
import { marksOf } from "./marks";
import "./policy.css";
import { coveredQuery, effectiveQuery, previewQuery, underneathQuery, useMayWrite } from "./policyQueries";
import { type PolicyTarget, type Stored, writersOf } from "./policyTarget";
import { readPatch, useDraft } from "./useDraft";
import { Versions } from "./versions/Versions";
import { YamlPane } from "./yaml/YamlPane";
import { tableAddress } from "../../format/addresses";

export const EDITOR_STATE = { find: "", only: "", as: "", zone: "", version: "", apply: "", scope: "" };

export interface PolicyEditorProps {
  readonly target: PolicyTarget;
  /** The version that was stored when the page was opened. */
  readonly first: Stored | null;
  /** The version that is stored now. */
  readonly stored: Stored | null;
  /** When it was answered, in ms. */
  readonly storedAt: number;
  readonly root: SchemaNode;
  /** Scope of a policy of more than one table; null: of a table, whose id is `tableId`. */
  readonly scope: Scope | null;
  readonly tableId: string | null;
  /** What a reader has to know first, such as that the policy does not exist yet. */
  readonly explanation: ReactNode;
  readonly sub: ReactNode;
}

export function PolicyEditor(props: PolicyEditorProps) {
  const { target, first, stored, storedAt, root, scope, tableId, explanation, sub } = props;
  const [state, change] = useUrlState(EDITOR_STATE);
  const [patch] = useState(() => readPatch(state.apply));
  const draft = useDraft(target, first, patch.patch, root);
  const queries = useQueryClient();
  const [isMerging, setMerging] = useState(false);
  const mayWrite = useMayWrite(target.team) === true;
  const isNew = draft.base === null;
  const isReadOnly = !mayWrite;
  const tables = useQuery(coveredQuery(scope));
  const options = useMemo(() => tables.data?.map((table) => ({ value: table.id, label: tableAddress(table) })) ?? [], [tables.data]);
  const shownTable = tableId ?? (state.as !== "" ? state.as : (options[0]?.value ?? null));
  const effective = useQuery(effectiveQuery(shownTable));
  const underneath = useQuery(underneathQuery(target, draft.base?.etag ?? null, mayWrite && tableId !== null));
  const [asked] = useDebouncedValue(draft.value, 600);
  const isWrong = draft.parsed.fault !== null || draft.flaws.length > 0;
  const isCreated = isNew && scope !== null;
  const isAsked = mayWrite && (draft.isDirty || isCreated) && !isWrong;
  const preview = useQuery(previewQuery(target, asked, isCreated, isAsked));
  const isBehind = asked !== draft.value;
  const isCurrent = !isBehind && isAsked;
  const marks = useMemo(
    () => marksOf(draft.parsed, draft.flaws, isCurrent ? preview.error : null),
    [draft.parsed, draft.flaws, isCurrent, preview.error],
  );
  const layers: Layers = {
    effective: effective.data,
    underneath: underneath.data,
    preview: isAsked && !preview.isError ? preview.data : undefined,
    base: draft.base,
    origin: target.origin,
    isOneTable: tableId !== null,
  };
  const inheritedOf = (name: string) => {
    const leaf = draft.leaves.find((each) => each.name === name);
    return leaf === undefined ? null : standingOf(leaf, layers).inherited;
  };
  const isOvertaken = storedAt >= draft.at && stored?.version !== draft.base?.version;
  const { isDirty, rebase } = draft;
  useEffect(() => {
    if (isOvertaken && !isDirty) rebase(stored);
  }, [isOvertaken, isDirty, rebase, stored]);
  const isRefused = isCurrent && preview.error instanceof InvalidInputError;
  const obstacle = isWrong || isRefused ? "Correct the errors in the YAML first." : isOvertaken ? "Another version was saved: compare it first." : null;
  const discard = () => {
    draft.rebase(stored);
    change({ apply: "" });
  };
  return (
    <>
      <PageHead title={tableId === null ? `Policy ${target.title}` : `Policy of ${target.title}`} sub={<Sub stored={draft.base} more={sub} />}>
        <CopyAs label="Copy reading as" request={{ method: "GET", path: target.path }} cli={commandLine("packhouse", "policy", "get", target.word)} />
        {stored !== null && mayWrite && <DeletePolicy target={target} mayWrite={!draft.isDirty} />}
      </PageHead>
      {explanation}
      {isReadOnly && (
        <Text size="sm" mb="sm" fw={500}>
          Read-only for you. {writersOf(target)}
        </Text>
      )}
      {patch.error !== undefined && state.apply !== "" && <Text role="alert" size="sm" mb="sm">{patch.error}</Text>}
      {patch.patch !== undefined && state.apply !== "" && draft.isDirty && (
        <Alert color="blue" variant="outline" mb="sm" title="Changes are filled in from a link">
          <Text size="sm">They are not saved yet. Look at what would change, then save or discard them.</Text>
        </Alert>
      )}
      {isOvertaken && draft.isDirty && <Overtaken stored={stored} onCompare={() => setMerging(true)} />}
      <div className="policy-columns">
        <Box miw={0}>
          <FormPane
            {...{ draft, layers, marks, isReadOnly }}
            state={{ find: state.find, only: state.only, as: shownTable ?? "" }}
            onState={change}
            tables={tableId === null ? options : null}
            isWaitingForTables={tables.isPending}
          />
        </Box>
        <div className="policy-side" tabIndex={-1}>
          {mayWrite && (
            <SaveBar
              {...{ target, draft, obstacle }}
              isNew={isCreated}
              onSaved={() => change({ apply: "", scope: "" })}
              onDiscard={discard}
              onConflict={() => {
                setMerging(true);
                void queries.invalidateQueries({ queryKey: ["policy", target.id] });
              }}
            />
          )}
          <YamlPane {...{ draft, marks, isReadOnly }} />
          <EffectPane query={preview} isDirty={draft.isDirty} isNew={isCreated} {...{ mayWrite, isWrong, isBehind }} writers={writersOf(target)} />
        </div>
      </div>
      <Windows
        {...{ draft, marks, isReadOnly }}
        inherited={{ quiet_hours: inheritedOf("quiet_hours"), blackouts: inheritedOf("blackouts") }}
        zone={state.zone}
        onZone={(zone) => change({ zone })}
      />
      {!isCreated && (
        <Versions
          {...{ target, stored, mayWrite }}
          isDirty={draft.isDirty}
          selected={state.version}
          onSelect={(version) => change({ version })}
          onRestored={(restored) => draft.rebase(restored)}
        />
      )}
      {isMerging && isOvertaken && <ConflictDialog draft={draft} theirs={stored} onClose={() => setMerging(false)} />}
      <LeaveGuard isDirty={draft.isDirty} />
    </>
  );
}

function Sub({ stored, more }: { stored: Stored | null; more: ReactNode }) {
  return (
    <span className="wrap-anywhere">
      {more}
      {stored !== null && (
        <>
          {" "}
          Version {stored.version}, saved <Ago at={stored.updatedAt} /> by {stored.updatedBy}
          {stored.message !== null && `: “${stored.message}”`}
        </>
      )}
    </span>
  );
}

function Overtaken({ stored, onCompare }: { stored: Stored | null; onCompare: () => void }) {
  return (
    <Alert color="yellow" variant="outline" mb="sm" role="alert" title="Another person changed this policy while you edit it">
      <Group gap="md">
        <Text size="sm" className="wrap-anywhere">
          {stored === null ? "It was deleted." : `${stored.updatedBy} saved version ${stored.version}.`} Your changes are still here; compare both before you save.
        </Text>
        <Button size="xs" variant="default" onClick={onCompare}>
          Compare and merge
        </Button>
      </Group>
    </Alert>
  );
}
