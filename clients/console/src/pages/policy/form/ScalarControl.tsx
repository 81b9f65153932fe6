/** A field of a setting that is a word, a number or a text: a list of words, or a text that is checked while typed. */
import { NativeSelect, TextInput } from "@mantine/core";
import { useId, useState } from "react";
import { kindOf, type SchemaNode, wordsOf } from "../logic/schema";

export interface ScalarProps {
  readonly label: string;
  readonly nodes: readonly SchemaNode[];
  /** Value in the document; undefined: it is inherited. */
  readonly value: unknown;
  /** What holds while nothing is set, as text. */
  readonly otherwise: string;
  readonly error: string | null;
  readonly isDisabled: boolean;
  readonly onChange: (value: unknown) => void;
}

const isWordOnly = (node: SchemaNode) => node.const !== undefined || node.enum !== undefined || node.type === "boolean";

export function ScalarControl(props: ScalarProps) {
  if (props.isDisabled) return <ReadOnly {...props} />;
  return props.nodes.every(isWordOnly) ? <Words {...props} /> : <Typed {...props} />;
}

/** The value as a text that can be selected and read well, for roles that may not change it. */
export function ReadOnly({ label, value, otherwise }: Pick<ScalarProps, "label" | "value" | "otherwise">) {
  const text = value === undefined || value === null ? "" : typeof value === "object" ? "on, with these fields" : String(value);
  return <TextInput aria-label={label} size="xs" readOnly value={text} placeholder={otherwise} />;
}

function Words({ label, nodes, value, otherwise, error, onChange }: ScalarProps) {
  const words = wordsOf(nodes);
  const present = value === undefined || value === null ? "" : String(value);
  const known = words.map(String);
  const options = [
    { value: "", label: otherwise },
    ...known.map((word) => ({ value: word, label: word })),
    ...(present === "" || known.includes(present) ? [] : [{ value: present, label: `${present.slice(0, 40)} (unknown)` }]),
  ];
  return (
    <NativeSelect
      aria-label={label}
      size="xs"
      data={options}
      value={present}
      error={error}
      onChange={({ currentTarget }) => onChange(words.find((word) => String(word) === currentTarget.value))}
    />
  );
}

function Typed({ label, nodes, value, otherwise, error, onChange }: ScalarProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const id = useId();
  const kinds = nodes.filter(({ type }) => type === "string").map(kindOf);
  const isZone = label.endsWith("time_zone");
  const samples = [...wordsOf(nodes).map(String), ...nodes.flatMap(({ examples = [] }) => examples).filter((each) => typeof each !== "object").map(String)];
  const send = (text: string) => {
    setTyped(text);
    onChange(readTyped(text, nodes));
  };
  return (
    <>
      <TextInput
        aria-label={label}
        size="xs"
        placeholder={otherwise}
        value={typed ?? (value === undefined || value === null ? "" : String(value))}
        list={isZone ? "policy-zones" : id}
        error={error}
        inputMode={kinds.length === 0 ? "decimal" : "text"}
        onChange={({ currentTarget }) => send(currentTarget.value)}
        onBlur={() => setTyped(null)}
      />
      {!isZone && (
        <datalist id={id}>
          {[...new Set(samples)].map((sample) => (
            <option key={sample} value={sample} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Return what a typed text stands for: a number where the setting accepts one, nothing if it is empty. */
export function readTyped(text: string, nodes: readonly SchemaNode[]): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const isNumber = nodes.some(({ type }) => type === "integer" || type === "number");
  return isNumber && /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : text;
}
