/** What a person sees on a page for a role that they don't have: who may, and what to do. */
import { useQuery } from "@tanstack/react-query";
import { whoamiQuery } from "../../api/queries";
import { Empty } from "../../parts/states";

export function Forbidden({ what }: { what: string }) {
  const { data } = useQuery(whoamiQuery);
  return (
    <Empty title={`Only admins see ${what}`}>
      You are signed in as <bdi>{(data?.subject ?? "…").slice(0, 200)}</bdi> with the role {data?.role ?? "…"}. Ask an admin, or sign out and sign in
      with a key of the role admin.
    </Empty>
  );
}
