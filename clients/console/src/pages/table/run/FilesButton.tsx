/** Downloads the list of files that an operation would delete, as CSV. */
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { packhouse } from "../../../api/client";
import { operationOf } from "../../../api/operations";
import { troubleOf } from "../../../api/problems";
import { RoleButton } from "../../../parts/actions";
import type { Table } from "../tableQueries";
import { save } from "../../../parts/save";

/** Return whether the server can list the files of an operation before it runs. */
export const hasFileList = (operation: string): boolean => operationOf(operation)?.lists_files ?? false;

export function FilesButton({ table, operation }: { table: Table; operation: string }) {
  const download = useMutation({
    meta: { isRead: true },
    mutationFn: async () => {
      const init = { params: { path: { table_id: table.id, operation } }, parseAs: "blob" };
      const list: unknown = await packhouse.get("/v1/tables/{table_id}/upkeep/{operation}/files", init as never);
      save(list as Blob, `${table.name.replaceAll(/[^\w.-]/g, "_").slice(0, 80)}-${operation}.csv`);
    },
    onError: (error) => {
      const { title, detail } = troubleOf(error);
      notifications.show({ color: "red", title, message: detail, autoClose: 12_000 });
    },
  });
  return (
    <RoleButton needs={operationOf(operation)?.caller_role ?? "operator"} size="xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
      Download the list of files (CSV)
    </RoleButton>
  );
}
