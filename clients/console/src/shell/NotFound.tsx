/** Shown at an address that has no page. */
import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { PageHead } from "../parts/states";

export function NotFound() {
  return (
    <>
      <PageHead title="There is no page at this address" />
      <Anchor component={Link} to="/fleet">
        Go to the fleet
      </Anchor>
    </>
  );
}
