/** Three versions side by side after another person saved first: base, theirs, mine; one choice for each conflict. */
import { Button, Group, Modal, Radio, Stack, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { counted } from "../../../format/sizes";
import { Ago } from "../../../parts/Time";
import { parsePolicy, withSettings } from "../logic/document";
import { type Choice, mergeChanges, type SettingVersions, threeWay } from "../logic/merge";
import type { Stored } from "../policyTarget";
import type { Draft } from "../useDraft";
import { SettingValue } from "./SettingChanges";

export interface ConflictDialogProps {
  readonly draft: Draft;
  /** The version that is stored now; null: it was deleted. */
  readonly theirs: Stored | null;
  readonly onClose: () => void;
}

export function ConflictDialog({ draft, theirs, onClose }: ConflictDialogProps) {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const { base, value, leaves, root, text } = draft;
  const merge = useMemo(() => threeWay(base?.policy ?? {}, theirs?.policy ?? {}, value, leaves, root), [base, theirs, value, leaves, root]);
  const open = merge.conflicts.filter(({ leaf }) => choices[leaf.name] === undefined).length;
  const take = () => {
    const merged = withSettings(text, mergeChanges(merge, choices, root));
    draft.rebase(theirs, parsePolicy(merged).fault === null ? merged : text);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} size="xl" title="The policy was changed by another person" closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="md">
        <Text size="sm" className="wrap-anywhere">
          {theirs === null ? (
            "It was deleted after you began. Saving makes a new version with your settings."
          ) : (
            <>
              {theirs.updatedBy} saved version {theirs.version} <Ago at={theirs.updatedAt} />
              {theirs.message !== null && `: “${theirs.message}”`}. Your changes are of version {base?.version ?? 0}.
            </>
          )}
        </Text>
        {merge.conflicts.length > 0 && (
          <Versions title="Changed by both: choose one for each" rows={merge.conflicts} choices={choices} onChoose={(name, choice) => setChoices({ ...choices, [name]: choice })} />
        )}
        {merge.taken.length > 0 && <Versions title="Changed by them: taken over" rows={merge.taken} />}
        {merge.kept.length > 0 && <Versions title="Changed by you: kept" rows={merge.kept} />}
        {merge.agreed.length > 0 && <Versions title="Changed by both in the same way" rows={merge.agreed} />}
        <Group justify="space-between">
          <Text size="sm" role="status">
            {open > 0 ? `${counted(open, "setting")} left to choose.` : "The merge comes into the editor, with its effect; then save it."}
          </Text>
          <Group gap="xs">
            <Button variant="default" onClick={onClose}>
              Not now
            </Button>
            <Button disabled={open > 0} onClick={take}>
              Merge into the editor
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}

interface VersionsProps {
  readonly title: string;
  readonly rows: readonly SettingVersions[];
  readonly choices?: Readonly<Record<string, Choice>>;
  readonly onChoose?: (name: string, choice: Choice) => void;
}

function Versions({ title, rows, choices, onChoose }: VersionsProps) {
  return (
    <div>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <table className="policy-table" aria-label={title}>
        <thead>
          <tr>
            <th scope="col">Setting</th>
            <th scope="col">Base</th>
            <th scope="col">Theirs</th>
            <th scope="col">Mine</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ leaf, base, theirs, mine }) => (
            <tr key={leaf.name}>
              <th scope="row" className="policy-value">
                {leaf.name}
              </th>
              <td>
                <SettingValue name={leaf.name} value={base} />
              </td>
              {([["theirs", theirs], ["mine", mine]] as const).map(([side, value]) => (
                <td key={side}>
                  {onChoose === undefined ? (
                    <SettingValue name={leaf.name} value={value} />
                  ) : (
                    <Radio
                      name={`choice ${leaf.name}`}
                      aria-label={`${leaf.name}: take ${side}`}
                      label={<SettingValue name={leaf.name} value={value} />}
                      checked={choices?.[leaf.name] === side}
                      onChange={() => onChoose(leaf.name, side)}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
