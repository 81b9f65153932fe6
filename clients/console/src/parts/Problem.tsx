/** An error in place: what happened, the wrong fields, what to do, and the id of the request. */
import { Alert, Button, Code, Group, List, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { isForbidden, isNotFound, troubleOf } from "../api/problems";
import { RemedyLink } from "./Remedy";

export function Problem({ error, onRetry, children }: { error: unknown; onRetry?: () => void; children?: ReactNode }) {
  const trouble = troubleOf(error);
  const color = isForbidden(error) || isNotFound(error) ? "yellow" : "red";
  return (
    <Alert color={color} variant="outline" title={trouble.title} role="alert" className="problem">
      <Text size="sm">{trouble.detail}</Text>
      {trouble.fields.length > 0 && (
        <List size="sm" mt="xs">
          {trouble.fields.map((field) => (
            <List.Item key={`${field.pointer} ${field.message}`}>
              <Code>{field.pointer}</Code> {field.message}
              {field.hint !== null && <>. {field.hint}</>} {field.remedy !== null && <RemedyLink remedy={field.remedy} />}
            </List.Item>
          ))}
        </List>
      )}
      {trouble.remedy !== null && (
        <Text size="sm" mt="xs" fw={500}>
          {trouble.remedy}
        </Text>
      )}
      {trouble.operation !== null && <RemedyLink remedy={trouble.operation} />}
      {(trouble.requestId !== null || onRetry !== undefined) && (
        <Group mt="xs" gap="md">
          {onRetry !== undefined && (
            <Button size="xs" variant="default" onClick={onRetry}>
              Try again
            </Button>
          )}
          {trouble.requestId !== null && (
            <Text size="xs" c="dimmed">
              Request <Code>{trouble.requestId}</Code>
            </Text>
          )}
        </Group>
      )}
      {children}
    </Alert>
  );
}
