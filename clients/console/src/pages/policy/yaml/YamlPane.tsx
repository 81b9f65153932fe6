/** The YAML side of the editor: the text, and its errors in words with their lines. */
import { Box, Button, Group, List, Text } from "@mantine/core";
import { lazy, Suspense, useMemo, useState } from "react";
import { Section, Waiting } from "../../../parts/states";
import { lineOf } from "../logic/document";
import type { Mark } from "../marks";
import type { Draft } from "../useDraft";

const YamlEditor = lazy(() => import("./YamlEditor"));
const SHOWN = 20;

export function YamlPane({ draft, marks, isReadOnly }: { draft: Draft; marks: readonly Mark[]; isReadOnly: boolean }) {
  const [goTo, setGoTo] = useState<{ position: number } | null>(null);
  const diagnostics = useMemo(
    () => marks.map(({ range, message, hint, severity }) => ({ from: range[0], to: range[1], severity, message: hint === null ? message : `${message}: ${hint}` })),
    [marks],
  );
  return (
    <Section title="YAML" aside={<Text size="sm" c="dimmed" id="policy-yaml-keys">{isReadOnly ? "Read-only" : "Ctrl+Space completes"}</Text>}>
      <Box className="policy-yaml-box">
        <Suspense fallback={<Waiting height={300} label="Loading the editor" />}>
          <YamlEditor text={draft.text} onChange={draft.setText} diagnostics={diagnostics} root={draft.root} isReadOnly={isReadOnly} goTo={goTo} />
        </Suspense>
      </Box>
      <Box role="status" aria-live="polite" mt="xs">
        {marks.length > 0 && (
          <List size="sm" listStyleType="none" aria-label="Errors in the YAML">
            {marks.slice(0, SHOWN).map((mark) => (
              <List.Item key={`${mark.range[0]} ${mark.message}`}>
                <Group gap="xs" wrap="nowrap" align="flex-start">
                  <Button size="compact-xs" variant="default" style={{ flexShrink: 0 }} onClick={() => setGoTo({ position: mark.range[0] })}>
                    Line {lineOf(draft.text, mark.range[0])}
                  </Button>
                  <Text size="sm" className="wrap-anywhere">
                    {mark.name !== "" && !mark.message.startsWith("'") && <b>{mark.name}</b>} {mark.message}
                    {mark.hint !== null && `: ${mark.hint}`}
                  </Text>
                </Group>
              </List.Item>
            ))}
            {marks.length > SHOWN && <List.Item>and {marks.length - SHOWN} more</List.Item>}
          </List>
        )}
      </Box>
      {!isReadOnly && (
        <Text size="xs" c="dimmed" mt="xs">
          The server stores settings, not text: comments stay in this tab only.
        </Text>
      )}
    </Section>
  );
}
