/** Downloads the list of files that a run deleted, as CSV. */
import { Button, type ButtonProps } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { packhouse } from "../api/client";
import { troubleOf } from "../api/problems";
import { save } from "./save";

async function deletedFiles(runId: string): Promise<Blob> {
  const { data } = await packhouse.http.GET("/v1/runs/{run_id}/deleted-files", {
    params: { path: { run_id: runId } },
    parseAs: "blob",
  });
  return data as unknown as Blob;
}

export function DeletedFilesButton({ runId, label, size = "xs" }: { runId: string; label: string; size?: ButtonProps["size"] }) {
  const closeButtonProps = { "aria-label": "Close" };
  const download = useMutation({
    meta: { isRead: true },
    mutationFn: () => deletedFiles(runId),
    onSuccess: (blob) => {
      save(blob, `${runId}-deleted-files.csv`);
      notifications.show({ message: "The list of deleted files is downloaded.", closeButtonProps });
    },
    onError: (error) => {
      const { title, detail } = troubleOf(error);
      notifications.show({ title, message: detail, color: "red", autoClose: false, closeButtonProps });
    },
  });
  return (
    <Button size={size} variant="default" className="no-print" loading={download.isPending} onClick={() => download.mutate()} title="Download the deleted files (CSV)">
      {label}
    </Button>
  );
}
