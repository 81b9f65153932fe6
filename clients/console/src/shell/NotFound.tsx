/** Shown at an address that has no page. */
import { PageLink } from "../parts/links";
import { PageHead } from "../parts/states";

export function NotFound() {
  return (
    <>
      <PageHead title="There is no page at this address" />
      <PageLink to="/fleet">
        Go to the fleet
      </PageLink>
    </>
  );
}
