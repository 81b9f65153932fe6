/** The states of a page that waits, is empty, failed, or shows answers of before the connection broke. */
import { Box, Group, Skeleton, Stack, Text, Title } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem } from "./Problem";

/** Say what is missing and what the next step is. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Box className="empty" py="xl" ta="center">
      <Title order={2} size="h4">
        {title}
      </Title>
      <Box c="dimmed" mt="xs" maw={560} mx="auto">
        {children}
      </Box>
    </Box>
  );
}

/** Hold the place of content that is on its way; `height` in px avoids a shift of the layout. */
export function Waiting({ height = 200, label = "Loading" }: { height?: number; label?: string }) {
  return (
    <Box role="status" aria-label={label} mih={height}>
      <Stack gap="sm">
        <Skeleton height={18} width="40%" />
        <Skeleton height={Math.max(40, height - 60)} />
      </Stack>
    </Box>
  );
}

/** Show the answer of a query, or that it is awaited, or why it failed. Old data stay, with the failure above them. */
export function Answer<T>({
  query,
  height,
  children,
}: {
  query: UseQueryResult<T>;
  height?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined) {
    return (
      <>
        {query.isError && (
          <Box mb="sm">
            <Problem error={query.error} onRetry={() => void query.refetch()} />
          </Box>
        )}
        {children(query.data)}
      </>
    );
  }
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  return <Waiting {...(height === undefined ? {} : { height })} />;
}

/** One figure with its name; `hint` explains it in a line below. */
export function Figure({ name, value, hint }: { name: string; value: ReactNode; hint?: ReactNode }) {
  return (
    <Box className="figure">
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text size="xl" fw={600} component="div">
        {value}
      </Text>
      {hint !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {hint}
        </Text>
      )}
    </Box>
  );
}

/** Title of a page with its actions at the right. */
export function PageHead({ title, sub, children }: { title: ReactNode; sub?: ReactNode; children?: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" mb="md" gap="md" className="page-head">
      <Box miw={0}>
        <Title order={1} size="h2" className="wrap-anywhere">
          {title}
        </Title>
        {sub !== undefined && (
          <Text c="dimmed" size="sm" component="div">
            {sub}
          </Text>
        )}
      </Box>
      <Group gap="xs" className="no-print">
        {children}
      </Group>
    </Group>
  );
}

/** A titled part of a page. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <Box component="section" className="section" mb="lg" aria-label={title}>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Box>
  );
}
