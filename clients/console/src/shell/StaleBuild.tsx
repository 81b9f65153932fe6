/** Shown when a part of this build is gone because the server has a newer one. */
import { Button } from "@mantine/core";
import { Empty } from "../parts/states";

export function StaleBuild() {
  return (
    <Empty title="The server has a newer version of this console">
      <p>Reload to get it. The address of the page keeps its filters and tabs.</p>
      <Button onClick={() => location.reload()}>Reload</Button>
    </Empty>
  );
}
