/** A setting that is `off` or an object: which of both, and the fields of the object. */
import { Box, NativeSelect, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { alternatives, type Path, type SchemaNode, wordsOf } from "../logic/schema";
import { shown } from "../logic/shown";
import { Marked } from "./Marked";
import { ReadOnly, ScalarControl } from "./ScalarControl";

export interface ObjectProps {
  readonly label: string;
  readonly nodes: readonly SchemaNode[];
  readonly root: SchemaNode;
  readonly value: unknown;
  readonly otherwise: string;
  /** An object to begin with. */
  readonly sample: unknown;
  /** Error of a path inside of the setting; an empty path is the setting. */
  readonly errorAt: (inner: Path) => string | null;
  readonly isDisabled: boolean;
  /** Change a path inside of the setting. */
  readonly onChange: (inner: Path, value: unknown) => void;
}

export function ObjectControl(props: ObjectProps) {
  const { label, nodes, value, otherwise, errorAt, isDisabled, onChange } = props;
  if (isDisabled) return <ReadOnly {...{ label, value, otherwise }} />;
  const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
  const words = wordsOf(nodes).map(String);
  const present = value === undefined || value === null ? "" : isObject ? "{}" : String(value);
  const options = [{ value: "", label: otherwise }, ...words.map((word) => ({ value: word, label: word })), { value: "{}", label: "on, with these fields" }];
  const choose = (choice: string) => {
    if (choice === "{}") onChange([], startOf(props));
    else onChange([], choice === "" ? undefined : choice);
  };
  return (
    <NativeSelect
      aria-label={label}
      size="xs"
      data={options}
      value={present}
      error={errorAt([])}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  );
}

/** The fields of the object, once it is set here. */
export function ObjectFields({ label, nodes, root, value, errorAt, isDisabled, onChange }: ObjectProps) {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return null;
  const object = nodes.find((node) => node.properties !== undefined);
  return (
    <Box component="dl" m={0} mt="xs" pl="sm">
      {Object.entries(object?.properties ?? {}).map(([name, property]) => {
        const inner = alternatives(property, root);
        const isScalar = inner.every((node) => node.items === undefined && node.properties === undefined);
        const fallback = inner.find((node) => node.default !== undefined)?.default;
        const present = (value as Record<string, unknown>)[name];
        return (
          <InnerRow key={name} name={name} description={property.description ?? ""}>
            {isScalar ? (
              <ScalarControl
                label={`${label}.${name}`}
                nodes={inner}
                value={present}
                otherwise={fallback === undefined ? "not set" : `default: ${shown(fallback)}`}
                error={errorAt([name])}
                isDisabled={isDisabled}
                onChange={(next) => onChange([name], next)}
              />
            ) : (
              <Text size="xs" c="dimmed" className="wrap-anywhere">
                {present === undefined || present === null ? "Not set; add it in the YAML." : `${JSON.stringify(present)} (change it in the YAML)`}
              </Text>
            )}
          </InnerRow>
        );
      })}
    </Box>
  );
}

function InnerRow({ name, description, children }: { name: string; description: string; children: ReactNode }) {
  return (
    <Box className="policy-setting-head" mb={6}>
      <Box component="dt">
        <Text size="xs" className="policy-value">
          {name}
        </Text>
        <Text size="xs" c="dimmed">
          <Marked text={description} />
        </Text>
      </Box>
      <Box component="dd" m={0}>
        {children}
      </Box>
    </Box>
  );
}

function startOf({ nodes, root, sample }: ObjectProps): unknown {
  if (sample !== null && typeof sample === "object" && !Array.isArray(sample)) return sample;
  const object = nodes.find((node) => node.properties !== undefined);
  const names = object?.required ?? [];
  return Object.fromEntries(
    names.map((name) => {
      const [node] = alternatives(object!.properties![name]!, root);
      return [name, node?.const ?? node?.default ?? node?.examples?.[0] ?? ""];
    }),
  );
}
