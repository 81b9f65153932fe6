/** A menu that copies an action as a curl command or as a command of the CLI. */
import { Button, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ApiRequest, curl } from "../format/commands";

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notifications.show({ message: `${what} copied. It reads the key from PACKHOUSE_API_KEY.` });
  } catch {
    notifications.show({ title: "The browser refused the clipboard", message: text, autoClose: false });
  }
}

export function CopyAs({ request, cli, label = "Copy as" }: { request: ApiRequest; cli: string | null; label?: string }) {
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button variant="default" size="xs" className="no-print">
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void copy(curl(request, location.origin), "The curl command")}>Copy as curl</Menu.Item>
        {cli !== null && <Menu.Item onClick={() => void copy(cli, "The command")}>Copy as packhouse command</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
