/** A dialog for a write that is not a save: its effect from a dry run first, then a message, then the write. */
import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { ApiRequest } from "../../../format/commands";
import { CopyAs } from "../../../parts/CopyAs";
import { Problem } from "../../../parts/Problem";
import { Answer } from "../../../parts/states";
import type { Preview } from "../policyTarget";
import { PreviewView } from "./PreviewView";

export interface WriteDialogProps {
  readonly title: string;
  readonly description: ReactNode;
  readonly label: string;
  readonly isDanger?: boolean;
  /** Identity of the dry run. */
  readonly previewKey: readonly unknown[];
  readonly preview: (signal: AbortSignal) => Promise<Preview>;
  readonly write: (message: string) => Promise<unknown>;
  readonly request: (message: string) => ApiRequest;
  readonly cli: (message: string) => string;
  /** What happened, in a sentence. */
  readonly done: string;
  readonly onClose: () => void;
  readonly onDone?: (answer: unknown) => void;
}

export function WriteDialog(props: WriteDialogProps) {
  const { title, description, label, isDanger = false, previewKey, preview, write, request, cli, done, onClose, onDone } = props;
  const [message, setMessage] = useState("");
  const effect = useQuery({ queryKey: ["policy-preview", ...previewKey], queryFn: ({ signal }) => preview(signal), staleTime: 10_000 });
  const mutation = useMutation({
    mutationFn: () => write(message.trim()),
    onSuccess: (answer) => {
      notifications.show({ message: done });
      onDone?.(answer);
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} size="lg" title={title} closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!mutation.isPending) mutation.mutate();
        }}
      >
        <Stack gap="sm">
          <Text size="sm" component="div">
            {description}
          </Text>
          <Answer query={effect} height={160}>
            {(found) => <PreviewView preview={found} />}
          </Answer>
          <TextInput
            label="Message (why)"
            description="Optional; shown with the version and in the audit log"
            maxLength={500}
            value={message}
            onChange={({ currentTarget }) => setMessage(currentTarget.value)}
          />
          {mutation.isError && <Problem error={mutation.error} />}
          <Group justify="space-between">
            <CopyAs request={request(message.trim())} cli={cli(message.trim())} />
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Close
              </Button>
              <Button type="submit" loading={mutation.isPending} disabled={!effect.isSuccess} {...(isDanger ? { color: "red" } : {})}>
                {label}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
