/** A text field of a filter: it takes effect on Enter or when it is left, not at each letter. */
import { TextInput, type TextInputProps } from "@mantine/core";
import { useEffect, useState } from "react";

export function CommittedInput({ value, onCommit, ...rest }: { value: string; onCommit: (value: string) => void } & Omit<TextInputProps, "value" | "onChange">) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const commit = () => {
    if (text.trim() !== value) onCommit(text.trim());
  };
  return (
    <TextInput
      {...rest}
      value={text}
      autoComplete="off"
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
      }}
    />
  );
}
