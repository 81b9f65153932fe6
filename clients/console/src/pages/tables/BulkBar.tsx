/** Actions on the selected rows. */
import { Button, Menu, Text } from "@mantine/core";
import { useState } from "react";
import { RoleButton } from "../../parts/actions";
import { counted } from "../../format/sizes";
import type { BulkForm } from "./bulk";
import { BulkDialog } from "./BulkDialog";
import type { FleetTable } from "./tablesQueries";

export function BulkBar({
  chosen,
  shown,
  onChooseShown,
  onClear,
}: {
  chosen: readonly FleetTable[];
  shown: number;
  onChooseShown: () => void;
  onClear: () => void;
}) {
  const [kind, setKind] = useState<BulkForm["kind"] | null>(null);
  return (
    <div className="tables-bulk no-print" role="group" aria-label="Actions on the selected tables">
      <Text size="sm" fw={600} aria-live="polite">
        {counted(chosen.length, "table")} selected
      </Text>
      <RoleButton needs="owner" size="xs" variant="default" onClick={() => setKind("label")}>
        Label
      </RoleButton>
      <RoleButton needs="operator" size="xs" variant="default" onClick={() => setKind("pause")}>
        Pause
      </RoleButton>
      <RoleButton needs="operator" size="xs" variant="default" onClick={() => setKind("resume")}>
        Resume
      </RoleButton>
      <Menu>
        <Menu.Target>
          <Button size="xs" variant="subtle">
            Selection
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onChooseShown}>Select all {counted(shown, "loaded table")}</Menu.Item>
          <Menu.Item onClick={onClear}>Select none</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {kind !== null && <BulkDialog kind={kind} tables={chosen} onClose={() => setKind(null)} />}
    </div>
  );
}
