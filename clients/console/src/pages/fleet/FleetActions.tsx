/** Actions on the fleet: pause, resume, limits. */
import { useDisclosure } from "@mantine/hooks";
import { packhouse, type Schemas } from "../../api/client";
import { commandLine } from "../../format/commands";
import { ActionButton, RoleButton } from "../../parts/actions";
import { LimitsDialog } from "./limits/LimitsDialog";


export function FleetActions({ pause }: { pause: Schemas["Pause"] | null }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <RoleButton needs="viewer" variant="default" onClick={open}>
        Limits
      </RoleButton>
      {isOpen && <LimitsDialog onClose={close} />}
      {pause === null ? <PauseFleet /> : <ResumeFleet />}
    </>
  );
}

function PauseFleet() {
  const body = ({ reason, confirmed }: { reason: string; confirmed: boolean }): Schemas["PauseRequest"] => ({
    reason,
    mode: confirmed ? "stop" : "drain",
  });
  return (
    <ActionButton
      needs="admin"
      label="Pause the fleet"
      title="Pause the fleet?"
      description="No run starts on any table until the fleet is resumed, requested ones included. File groups in flight are finished and committed; the rest waits."
      asks="reason"
      extra="Interrupt file groups in flight instead of finishing them"
      danger
      act={(form) => packhouse.post("/v1/fleet/pause", { body: body(form) })}
      request={(form) => ({ method: "POST", path: "/v1/fleet/pause", body: body(form) })}
      cli={({ reason, confirmed }) => commandLine("packhouse", "fleet", "pause", "--reason", reason, confirmed && "--stop")}
      done="The fleet is paused."
    />
  );
}

function ResumeFleet() {
  return (
    <ActionButton
      needs="admin"
      label="Resume the fleet"
      title="Resume the fleet?"
      description="Runs that waited go on, and tables that are due start. Tables and catalogs that were paused themselves stay paused."
      act={() => packhouse.post("/v1/fleet/resume")}
      request={() => ({ method: "POST", path: "/v1/fleet/resume" })}
      cli={() => commandLine("packhouse", "fleet", "resume")}
      done="The fleet is resumed."
    />
  );
}
