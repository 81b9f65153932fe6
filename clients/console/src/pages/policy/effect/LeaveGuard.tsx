/** Ask before unsaved changes are lost: by a link, the back button, or closing the tab. */
import { Button, Group, Modal, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";

export function LeaveGuard({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  if (status !== "blocked") return null;
  return (
    <Modal opened onClose={reset} title="Leave without saving?" closeButtonProps={{ "aria-label": "Close" }}>
      <Text size="sm">The changes of this policy are not saved and would be lost.</Text>
      <Group justify="flex-end" mt="md" gap="xs">
        <Button variant="default" onClick={reset} data-autofocus>
          Stay here
        </Button>
        <Button color="red" onClick={proceed}>
          Discard and leave
        </Button>
      </Group>
    </Modal>
  );
}
