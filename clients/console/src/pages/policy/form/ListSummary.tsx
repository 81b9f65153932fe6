/** A list of the policy in words: triggers, tiers, columns. It is changed in the YAML. */
import { List, Text } from "@mantine/core";
import { itemText } from "../logic/words";

export function ListSummary({ value, name, isSet }: { value: unknown; name: string; isSet: boolean }) {
  if (!Array.isArray(value)) return null;
  if (value.length === 0) return <Text size="sm">None.</Text>;
  return (
    <>
      <List size="sm" mt={4} aria-label={`${name}, in words`}>
        {value.map((each: unknown, index) => (
          <List.Item key={index} className="wrap-anywhere">
            {itemText(each)}
          </List.Item>
        ))}
      </List>
      <Text size="xs" c="dimmed" mt={4}>
        {isSet ? "Change the list in the YAML." : "Set the list in the YAML to replace it as a whole."}
      </Text>
    </>
  );
}
