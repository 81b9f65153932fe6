/** The secret of a new key, shown this once: it is in no cache, store or address. */
import { Alert, Button, CopyButton, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import type { Schemas } from "../../api/client";

export function SecretDialog({ made, onClose }: { made: Schemas["KeyCreated"]; onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={`The key ${made.name} is made`} size="lg" closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false}>
      <Stack gap="sm">
        <Alert color="yellow" variant="outline" title="Copy the secret now">
          It can't be shown again. If it is lost, revoke this key and make another.
        </Alert>
        <Group align="end" gap="xs" wrap="nowrap">
          <TextInput label="Secret" readOnly style={{ flex: 1 }} styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }} value={made.secret} onFocus={(event) => event.currentTarget.select()} data-autofocus />
          <CopyButton value={made.secret}>
            {({ copied, copy }) => (
              <Button variant="default" onClick={copy}>
                {copied ? "Copied" : "Copy"}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Text size="sm">
          Programs send it as <code>Authorization: Bearer …</code>; the command line reads it from <code>PACKHOUSE_API_KEY</code>.
        </Text>
        <Group justify="flex-end">
          <Button onClick={onClose}>I have stored the secret</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
