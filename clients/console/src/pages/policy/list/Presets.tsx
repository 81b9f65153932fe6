/** The presets: what each is for, where its figures come from, and its settings. */
import { Button, Code, Group, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { commandLine } from "../../../format/commands";
import { CopyAs } from "../../../parts/CopyAs";
import { Answer, Section } from "../../../parts/states";
import { policyText } from "../logic/document";
import { Marked } from "../form/Marked";
import { presetsQuery, schemaQuery } from "../policyQueries";

export function Presets({ mayCreate, onStart }: { mayCreate: boolean; onStart: (preset: string) => void }) {
  const presets = useQuery(presetsQuery);
  const { data: root } = useQuery(schemaQuery);
  return (
    <Section title="Presets">
      <Text size="sm" mb="sm" c="dimmed">
        A preset is a named base: a policy names it by <code>preset</code>, and settings of any policy override it.
      </Text>
      <Answer query={presets} height={300}>
        {({ items }) => (
          <div className="two-columns">
            {items.map((preset) => (
              <section key={preset.name} className="card" aria-label={`Preset ${preset.name}`}>
                <Group justify="space-between" mb={4}>
                  <Text fw={600}>{preset.name}</Text>
                  <Group gap="xs">
                    <CopyAs request={{ method: "GET", path: `/v1/presets/${preset.name}` }} cli={commandLine("packhouse", "policy", "presets", preset.name)} />
                    {mayCreate && (
                      <Button size="xs" variant="default" onClick={() => onStart(preset.name)} aria-label={`Start from it: ${preset.name}`}>
                        Start from it
                      </Button>
                    )}
                  </Group>
                </Group>
                <Text size="sm"><Marked text={preset.summary} /></Text>
                <Text size="xs" c="dimmed" mt="xs">
                  Source: {preset.source}
                </Text>
                <details style={{ marginTop: 8 }}>
                  <summary>Its settings</summary>
                  <Code block mt={4} tabIndex={0} role="region" aria-label={`Settings of ${preset.name}`}>
                    {root === undefined ? "…" : policyText(preset.policy, root)}
                  </Code>
                </details>
              </section>
            ))}
          </div>
        )}
      </Answer>
    </Section>
  );
}
