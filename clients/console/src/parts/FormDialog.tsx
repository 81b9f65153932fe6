/** A dialog with fields: sends once, shows a refusal in place, and copies the same change for a terminal. */
import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { PreconditionError } from "@packhouse/client";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { ApiRequest } from "../format/commands";
import { CopyAs } from "./CopyAs";
import { Problem } from "./Problem";

export interface FormDialogProps<Result> {
  readonly title: string;
  readonly onClose: () => void;
  /** What will happen, in a sentence or two. */
  readonly description?: ReactNode;
  readonly children: ReactNode;
  /** Text of the button that sends. */
  readonly submit: string;
  /** Why the form can't be sent yet; null when it can. */
  readonly blocked: string | null;
  readonly danger?: boolean;
  readonly act: () => Promise<Result>;
  /** What happened, in a sentence; null: the caller shows it. */
  readonly done: string | null;
  readonly onDone?: (result: Result) => void;
  /** Load the current version after another person changed it. */
  readonly onReload?: () => void;
  readonly request: ApiRequest;
  readonly cli: string | null;
  readonly size?: string;
}

/** Show the dialog; mount it to open it, so that its fields begin afresh each time. */
export function FormDialog<Result>(props: FormDialogProps<Result>) {
  const { act, done, onDone, onClose, blocked, danger = false } = props;
  const mutation = useMutation({
    mutationFn: act,
    gcTime: 0, // an answer may hold a secret that is shown once: no cache keeps it
    onSuccess: (result) => {
      if (done !== null) notifications.show({ message: done });
      onDone?.(result);
      onClose();
    },
  });
  const isConflict = mutation.error instanceof PreconditionError;
  return (
    <Modal opened onClose={onClose} title={props.title} size={props.size ?? "lg"} closeButtonProps={{ "aria-label": "Close" }}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (blocked === null && !mutation.isPending) mutation.mutate();
        }}
      >
        <Stack gap="sm">
          {props.description !== undefined && (
            <Text size="sm" component="div">
              {props.description}
            </Text>
          )}
          {props.children}
          {mutation.isError && (
            <Problem error={mutation.error}>
              {isConflict && props.onReload !== undefined && (
                <Button
                  size="xs"
                  variant="default"
                  mt="xs"
                  onClick={() => {
                    mutation.reset();
                    props.onReload?.();
                  }}
                >
                  Load the current version
                </Button>
              )}
            </Problem>
          )}
          <Text size="sm" c="dimmed" role="status" mih="1.5em">
            {blocked ?? ""}
          </Text>
          <Group justify="space-between">
            <CopyAs request={props.request} cli={props.cli} />
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Close
              </Button>
              <Button type="submit" loading={mutation.isPending} disabled={blocked !== null} color={danger ? "red" : undefined}>
                {props.submit}
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
