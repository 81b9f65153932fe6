/** One setting: its meaning, its control, whether it is set here or inherited and from where, and a way back. */
import { Box, Button, Group, Text } from "@mantine/core";
import { memo, useMemo } from "react";
import { Badge } from "../../../parts/badges";
import { kindsOf } from "../logic/canonical";
import { alternatives, type Leaf, type Path, type SchemaNode } from "../logic/schema";
import { shown } from "../logic/shown";
import type { Standing } from "./inheritance";
import { Marked } from "./Marked";
import { ListSummary } from "./ListSummary";
import { ObjectControl, ObjectFields } from "./ObjectControl";
import { ScalarControl } from "./ScalarControl";

export interface FieldProps {
  readonly leaf: Leaf;
  readonly root: SchemaNode;
  readonly value: unknown;
  readonly standing: Standing;
  readonly isChanged: boolean;
  /** Errors of the setting: dotted paths inside of it, with messages; as JSON, so that equal ones are equal. */
  readonly errors: string;
  readonly isDisabled: boolean;
  readonly onChange: (path: Path, value: unknown) => void;
}

function Field({ leaf, root, value, standing, isChanged, errors, isDisabled, onChange }: FieldProps) {
  const nodes = useMemo(() => alternatives(leaf.node, root), [leaf, root]);
  const kinds = useMemo(() => kindsOf(leaf.node, root), [leaf, root]);
  const messages = useMemo(() => JSON.parse(errors) as Record<string, string>, [errors]);
  const isSet = value !== undefined && value !== null;
  const { inherited } = standing;
  const otherwise = inherited === null ? "inherited" : `inherited: ${shown(inherited.value, kinds).slice(0, 60)}`;
  const errorAt = (inner: Path) => messages[inner.join(".")] ?? null;
  const isList = nodes.every((node) => node.type === "array");
  const object = {
    label: leaf.name,
    nodes,
    root,
    value,
    otherwise,
    sample: leaf.node.examples?.[0] ?? inherited?.value,
    errorAt,
    isDisabled,
    onChange: (inner: Path, next: unknown) => onChange([...leaf.path, ...inner], next),
  };
  const isObject = nodes.some((node) => node.properties !== undefined);
  return (
    <Box className="policy-setting" data-changed={isChanged} role="group" aria-label={leaf.name}>
      <Box className="policy-setting-head">
        <Box miw={0}>
          <Text size="sm" fw={600} className="policy-value wrap-anywhere">
            {leaf.name}
          </Text>
          <Text size="xs" c="dimmed">
            <Marked text={leaf.description} />
          </Text>
        </Box>
        <Box>
          {isList ? null : isObject ? (
            <ObjectControl {...object} />
          ) : (
            <ScalarControl
              label={leaf.name}
              nodes={nodes}
              value={value}
              otherwise={otherwise}
              error={errorAt([])}
              isDisabled={isDisabled}
              onChange={(next) => onChange(leaf.path, next)}
            />
          )}
        </Box>
      </Box>
      {isObject && <ObjectFields {...object} />}
      {isList && <ListSummary value={isSet ? value : inherited?.value} name={leaf.name} isSet={isSet} />}
      <State {...{ isSet, standing, kinds, isChanged, isDisabled }} name={leaf.name} onInherit={() => onChange(leaf.path, undefined)} />
    </Box>
  );
}

function State(props: {
  name: string;
  isSet: boolean;
  isChanged: boolean;
  isDisabled: boolean;
  standing: Standing;
  kinds: ReturnType<typeof kindsOf>;
  onInherit: () => void;
}) {
  const { name, isSet, isChanged, isDisabled, standing, kinds, onInherit } = props;
  const { inherited, stronger } = standing;
  return (
    <Group gap="xs" mt={4}>
      <Badge tone={isSet ? "busy" : "quiet"}>{isSet ? "set here" : "inherited"}</Badge>
      {isChanged && <Badge tone="warn">not saved</Badge>}
      {inherited !== null && (
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {isSet ? "Otherwise" : "Value"} {Array.isArray(inherited.value) && !isSet ? "as above" : shown(inherited.value, kinds)}
          {inherited.origin !== "" && (inherited.origin === "derived" ? ", derived from the target size" : `, from ${inherited.origin}`)}
        </Text>
      )}
      {isSet && !isDisabled && (
        <Button size="compact-xs" variant="default" onClick={onInherit} aria-label={`Inherit again: ${name}`}>
          Inherit again
        </Button>
      )}
      {stronger !== null && (
        <Text size="xs" className="wrap-anywhere">
          The shown table has {shown(stronger.value, kinds)}, from {stronger.origin}, which is stronger.
        </Text>
      )}
    </Group>
  );
}

const isEqual = (a: FieldProps, b: FieldProps) =>
  a.leaf === b.leaf &&
  a.isChanged === b.isChanged &&
  a.errors === b.errors &&
  a.isDisabled === b.isDisabled &&
  a.onChange === b.onChange &&
  JSON.stringify([a.value, a.standing]) === JSON.stringify([b.value, b.standing]);

export const SettingField = memo(Field, isEqual);
