/** Save the draft with a message, discard it, or take it away as a command. */
import { Button, Group, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { PreconditionError } from "@packhouse/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { counted } from "../../../format/sizes";
import { CopyAs } from "../../../parts/CopyAs";
import { Problem } from "../../../parts/Problem";
import { applyCommand } from "../logic/commands";
import { policyText } from "../logic/document";
import type { PolicyTarget, Stored } from "../policyTarget";
import type { Draft } from "../useDraft";

export interface SaveBarProps {
  readonly target: PolicyTarget;
  readonly draft: Draft;
  readonly isNew: boolean;
  /** Why it can't be saved now, in a sentence; null if it can. */
  readonly obstacle: string | null;
  readonly onSaved: (stored: Stored) => void;
  readonly onDiscard: () => void;
  /** The policy was changed by others since it was read. */
  readonly onConflict: () => void;
}

export function SaveBar({ target, draft, isNew, obstacle, onSaved, onDiscard, onConflict }: SaveBarProps) {
  const [message, setMessage] = useState("");
  const etag = draft.base?.etag ?? null;
  const save = useMutation({
    mutationFn: () => target.save(draft.value, etag, message.trim()),
    onSuccess: (stored) => {
      setMessage("");
      draft.rebase(stored, draft.text.trim() === "" ? policyText(stored.policy, draft.root) : draft.text);
      notifications.show({ message: `${target.title}: version ${stored.version} is saved.` });
      onSaved(stored);
    },
    onError: (error) => {
      if (error instanceof PreconditionError) onConflict();
    },
  });
  const isConflict = save.error instanceof PreconditionError;
  const count = draft.changed.length;
  const canSave = obstacle === null && (draft.isDirty || isNew);
  return (
    <form
      className="policy-save no-print"
      aria-label="Save the policy"
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave && !save.isPending) save.mutate();
      }}
    >
      <Group gap="xs" align="flex-end" wrap="wrap">
        <TextInput
          size="xs"
          label="Message (why)"
          placeholder="optional, shown with the version"
          maxLength={500}
          value={message}
          onChange={({ currentTarget }) => setMessage(currentTarget.value.replaceAll("\n", " "))}
          style={{ flex: 1, minWidth: 160 }}
        />
        <Button type="submit" size="xs" loading={save.isPending} disabled={!canSave}>
          {isNew ? "Create policy" : "Save"}
        </Button>
        <Button size="xs" variant="default" disabled={!draft.isDirty || save.isPending} onClick={onDiscard}>
          Discard
        </Button>
        <CopyAs request={target.saveRequest(draft.value, etag, message.trim())} cli={applyCommand(target, draft.text, message.trim())} />
      </Group>
      <Text size="sm" mt={4} role="status">
        {obstacle ?? (draft.isDirty ? `${counted(count, "unsaved change")}: ${draft.changed.slice(0, 4).map(({ name }) => name).join(", ")}${count > 4 ? " and more" : ""}` : isNew ? "The policy is created when you save." : etag === null ? "Nothing is set here yet." : "All changes are saved.")}
      </Text>
      {save.isError && !isConflict && <Problem error={save.error} />}
    </form>
  );
}
