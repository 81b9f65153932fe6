/** Delete a policy, after a look at which settings are inherited then. */
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { commandLine } from "../../../format/commands";
import { deleteRequest, type PolicyTarget, writersOf } from "../policyTarget";
import { storedQuery } from "../policyQueries";
import { WriteDialog } from "./WriteDialog";

export interface DeletePolicyProps {
  readonly target: PolicyTarget;
  readonly mayWrite: boolean;
  readonly isCompact?: boolean;
}

export function DeletePolicy({ target, mayWrite, isCompact = false }: DeletePolicyProps) {
  const [isOpen, setOpen] = useState(false);
  const stored = useQuery({ ...storedQuery(target), enabled: isOpen });
  const etag = stored.data?.etag ?? null;
  const label = `Delete the policy ${target.title.slice(0, 80)}`;
  return (
    <>
      <Button
        size={isCompact ? "compact-xs" : "xs"}
        variant="default"
        disabled={!mayWrite}
        title={mayWrite ? undefined : writersOf(target)}
        aria-label={label}
        onClick={() => setOpen(true)}
      >
        Delete
      </Button>
      {isOpen && etag !== null && (
        <WriteDialog
          title={`Delete the policy?`}
          description={
            <span className="wrap-anywhere">
              {target.title}: its settings are inherited again. Its versions stay and can be restored.
            </span>
          }
          label="Delete policy"
          isDanger
          previewKey={["delete", target.id, etag]}
          preview={(signal) => target.previewDelete(signal)}
          write={(message) => target.remove(etag, message)}
          request={(message) => deleteRequest(target, etag, message)}
          cli={(message) => commandLine("packhouse", "policy", "delete", target.word, message !== "" && ["-m", message])}
          done="The policy is deleted."
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
