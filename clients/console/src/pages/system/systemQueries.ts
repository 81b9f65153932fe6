/** The state of Packhouse and its dependencies, for the page and for the notice on the fleet's. */
import { queryOptions } from "@tanstack/react-query";
import { packhouse, type Schemas } from "../../api/client";
import { REFRESH } from "../../api/queries";

export const systemQuery = queryOptions({
  queryKey: ["system"],
  queryFn: ({ signal }) => packhouse.get("/v1/system", { signal }),
  refetchInterval: REFRESH.live,
});

/** What is not in order, in the server's order. */
export const notInOrder = ({ components }: Schemas["System"]) => components.filter(({ state }) => state !== "ok");
