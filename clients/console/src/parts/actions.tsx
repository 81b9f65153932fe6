/** Buttons that change something: possible by role, sent once, with the error where the button is. */
import { Button, type ButtonProps, Checkbox, Group, Modal, Stack, Text, TextInput, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Role, useRole } from "../api/queries";
import type { ApiRequest } from "../format/commands";
import { CopyAs } from "./CopyAs";
import { Problem } from "./Problem";

const HOLDERS: Record<Role, string> = {
  viewer: "Every key may do this.",
  planner: "This needs the role planner, operator, owner or admin.",
  operator: "This needs the role operator, owner or admin.",
  owner: "This needs the role owner (of the table's team) or admin.",
  admin: "This needs the role admin.",
};

/** A button that is disabled, with the reason, for roles that may not use it. */
export function RoleButton({
  needs,
  children,
  onClick,
  ...rest
}: { needs: Role; children: ReactNode; onClick: () => void } & ButtonProps) {
  const { role, has } = useRole();
  if (has(needs)) {
    return (
      <Button {...rest} onClick={onClick}>
        {children}
      </Button>
    );
  }
  const reason = role === undefined ? "Your role is being looked up." : `${HOLDERS[needs]} Your role is ${role}.`;
  return (
    <Tooltip label={reason} events={{ hover: true, focus: true, touch: true }} withinPortal>
      <Button {...rest} aria-disabled data-disabled aria-description={reason} onClick={(event) => event.preventDefault()}>
        {children}
      </Button>
    </Tooltip>
  );
}

export interface ActionForm {
  readonly reason: string;
  readonly confirmed: boolean;
  readonly typed: string;
}

const EMPTY_FORM: ActionForm = { reason: "", confirmed: false, typed: "" };

/** A button that asks for confirmation (and a reason), sends, and says what happened. */
export function ActionButton({
  needs,
  label,
  title,
  description,
  asks = "nothing",
  typed,
  danger = false,
  extra,
  act,
  request,
  cli,
  done,
  ...rest
}: {
  needs: Role;
  label: string;
  /** Title of the dialog, a question or an action. */
  title: string;
  /** What will happen, in a sentence or two. */
  description: ReactNode;
  asks?: "nothing" | "reason";
  /** A text that has to be typed before the button works. */
  typed?: string;
  danger?: boolean;
  /** A yes-or-no option of the action. */
  extra?: string;
  act: (form: ActionForm) => Promise<unknown>;
  /** The same action for a terminal. */
  request: (form: ActionForm) => ApiRequest;
  cli: (form: ActionForm) => string | null;
  /** What happened, in a sentence. */
  done: string;
} & Omit<ButtonProps, "title">) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [form, setForm] = useState(EMPTY_FORM);
  const mutation = useMutation({
    mutationFn: () => act(form),
    onSuccess: () => {
      notifications.show({ message: done });
      close();
    },
  });
  const start = () => {
    mutation.reset();
    setForm(EMPTY_FORM);
    open();
  };
  const isReady = (asks === "nothing" || form.reason.trim() !== "") && (typed === undefined || form.typed.trim() === typed);
  return (
    <>
      <RoleButton needs={needs} onClick={start} {...(danger ? { color: "red" } : {})} {...rest}>
        {label}
      </RoleButton>
      <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ "aria-label": "Close" }}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (isReady && !mutation.isPending) mutation.mutate();
          }}
        >
          <Stack gap="sm">
            <Text size="sm" component="div">
              {description}
            </Text>
            {asks === "reason" && (
              <TextInput
                label="Reason"
                description="Shown with everything that waits because of it"
                required
                data-autofocus
                maxLength={500}
                value={form.reason}
                onChange={(event) => setForm({ ...form, reason: event.currentTarget.value })}
              />
            )}
            {typed !== undefined && (
              <TextInput
                label={`Type ${typed} to confirm it`}
                data-autofocus
                autoComplete="off"
                value={form.typed}
                onChange={(event) => setForm({ ...form, typed: event.currentTarget.value })}
              />
            )}
            {extra !== undefined && (
              <Checkbox
                label={extra}
                checked={form.confirmed}
                onChange={(event) => setForm({ ...form, confirmed: event.currentTarget.checked })}
              />
            )}
            {mutation.isError && <Problem error={mutation.error} />}
            <Group justify="space-between">
              <CopyAs request={request(form)} cli={cli(form)} />
              <Group gap="xs">
                <Button variant="default" onClick={close}>
                  Close
                </Button>
                <Button type="submit" loading={mutation.isPending} disabled={!isReady} color={danger ? "red" : undefined}>
                  {label}
                </Button>
              </Group>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
