/** Actions on a catalog: pause, resume, limits, delete. */
import { TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { packhouse, type Schemas } from "../../api/client";
import { commandLine } from "../../format/commands";
import { ActionButton, RoleButton } from "../../parts/actions";
import { FormDialog } from "../../parts/FormDialog";
import { LimitsDialog } from "../fleet/limits/LimitsDialog";
import { type Catalog, etagOf, pathOf } from "./catalogQueries";


export function CatalogActions({ catalog, isFailing }: { catalog: Catalog; isFailing: boolean }) {
  const [isLimits, limits] = useDisclosure(false);
  const [isDelete, deletion] = useDisclosure(false);
  return (
    <>
      <RoleButton needs="viewer" variant="default" onClick={limits.open}>
        Limits
      </RoleButton>
      {isLimits && <LimitsDialog catalog={catalog.name} onClose={limits.close} />}
      {catalog.pause === null && <PauseCatalog name={catalog.name} />}
      {(catalog.pause !== null || isFailing) && <ResumeCatalog name={catalog.name} isPaused={catalog.pause !== null} />}
      <RoleButton needs="admin" variant="default" onClick={deletion.open}>
        Delete
      </RoleButton>
      {isDelete && <DeleteCatalog catalog={catalog} onClose={deletion.close} />}
    </>
  );
}

function PauseCatalog({ name }: { name: string }) {
  const params = { path: { name } };
  const body = ({ reason, confirmed }: { reason: string; confirmed: boolean }): Schemas["PauseRequest"] => ({
    reason,
    mode: confirmed ? "stop" : "drain",
  });
  return (
    <ActionButton
      needs="admin"
      variant="default"
      label="Pause"
      title={`Pause the catalog ${name}?`}
      description="No run starts on any of its tables until it is resumed. File groups in flight are finished and committed; the rest waits."
      asks="reason"
      extra="Interrupt file groups in flight instead of finishing them"
      act={(form) => packhouse.post("/v1/catalogs/{name}/pause", { params, body: body(form) })}
      request={(form) => ({ method: "POST", path: pathOf(name, "/pause"), body: body(form) })}
      cli={({ reason, confirmed }) => commandLine("packhouse", "catalogs", "pause", name, "--reason", reason, confirmed && "--stop")}
      done={`The catalog ${name} is paused.`}
    />
  );
}

function ResumeCatalog({ name, isPaused }: { name: string; isPaused: boolean }) {
  return (
    <ActionButton
      needs="admin"
      label="Resume"
      title={`Resume the catalog ${name}?`}
      description={
        isPaused
          ? "Runs that waited go on, and tables that are due start. Tables that were paused themselves stay paused."
          : "This closes the breaker at once, so that runs start again. Check the connection first: if it still fails, runs fail too."
      }
      act={() => packhouse.post("/v1/catalogs/{name}/resume", { params: { path: { name } } })}
      request={() => ({ method: "POST", path: pathOf(name, "/resume") })}
      cli={() => commandLine("packhouse", "catalogs", "resume", name)}
      done={`The catalog ${name} is resumed.`}
    />
  );
}

function DeleteCatalog({ catalog, onClose }: { catalog: Catalog; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const { name } = catalog;
  const navigate = useNavigate();
  const queries = useQueryClient();
  const header = { "if-match": etagOf(catalog) };
  return (
    <FormDialog
      title={`Delete the catalog ${name}?`}
      onClose={onClose}
      description="Only the connection and its grants are deleted, nothing in the catalog itself. It is refused while tables of it are registered: delete their registrations first."
      submit="Delete"
      danger
      blocked={typed === name ? null : "Type the name to confirm."}
      act={() => packhouse.delete("/v1/catalogs/{name}", { params: { path: { name }, header } })}
      done={`The catalog ${name} is deleted.`}
      onDone={() => void navigate({ to: "/catalogs" })}
      onReload={() => void queries.invalidateQueries({ queryKey: ["catalogs"] })}
      request={{ method: "DELETE", path: pathOf(name), headers: { "If-Match": etagOf(catalog) } }}
      cli={commandLine("packhouse", "catalogs", "delete", name)}
    >
      <TextInput label={`Type ${name} to confirm`} data-autofocus autoComplete="off" value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
    </FormDialog>
  );
}
