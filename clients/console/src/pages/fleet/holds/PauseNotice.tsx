/** A pause that is on: by whom, why, and what it does to runs. */
import { Alert, Text } from "@mantine/core";
import type { Schemas } from "../../../api/client";
import { Ago } from "../../../parts/Time";

export function PauseNotice({ pause, whole }: { pause: Schemas["Pause"]; whole: string }) {
  const effect =
    pause.mode === "stop"
      ? "File groups in flight were interrupted; what was written is committed."
      : "File groups in flight are finished and committed.";
  return (
    <Alert color="yellow" variant="outline" mb="md" title={`Runs of ${whole} are paused`}>
      <Text size="sm" className="wrap-anywhere">
        {pause.reason}
      </Text>
      <Text size="sm" c="dimmed" mt={4} className="wrap-anywhere">
        By {pause.paused_by}, <Ago at={pause.paused_at} />. Nothing new starts. {effect}
      </Text>
    </Alert>
  );
}
