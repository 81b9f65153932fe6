/** Delete a policy, after a look at which settings are inherited then. */
import { Button } from "@mantine/core";
import { useState } from "react";
import { commandLine } from "../../../format/commands";
import { deleteRequest, type PolicyTarget, writersOf } from "../policyTarget";
import { WriteDialog } from "./WriteDialog";

export function DeletePolicy({ target, etag, mayWrite, compact = false, onDone }: { target: PolicyTarget; etag: string; mayWrite: boolean; compact?: boolean; onDone?: () => void }) {
  const [isOpen, setOpen] = useState(false);
  const label = `Delete the policy ${target.title.slice(0, 80)}`;
  return (
    <>
      <Button
        size={compact ? "compact-xs" : "xs"}
        variant="default"
        disabled={!mayWrite}
        title={mayWrite ? undefined : writersOf(target)}
        aria-label={label}
        onClick={() => setOpen(true)}
      >
        Delete
      </Button>
      {isOpen && (
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
          preview={(signal) => target.previewDelete(etag, signal)}
          write={(message) => target.remove(etag, message)}
          request={(message) => deleteRequest(target, etag, message)}
          cli={(message) => commandLine("packhouse", "policy", "delete", target.word, message !== "" && ["-m", message])}
          done="The policy is deleted."
          onClose={() => setOpen(false)}
          {...(onDone === undefined ? {} : { onDone })}
        />
      )}
    </>
  );
}
