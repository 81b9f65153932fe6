/** The keys of the console. */
import { Kbd, Modal } from "@mantine/core";
import { PLACES } from "./places";

export function Help({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const keys: [string[], string][] = [
    [["/"], "Search pages, tables and runs"],
    [["Ctrl", "K"], "The same, also while typing"],
    ...PLACES.map(({ key, label }): [string[], string] => [["g", key], label]),
    [["?"], "This help"],
    [["Esc"], "Close a dialog"],
  ];
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard" closeButtonProps={{ "aria-label": "Close" }}>
      <table className="keys">
        <tbody>
          {keys.map(([combination, what]) => (
            <tr key={what}>
              <th scope="row" style={{ textAlign: "left", paddingRight: 16, paddingBottom: 6 }}>
                {combination.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </th>
              <td>{what}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Modal>
  );
}
