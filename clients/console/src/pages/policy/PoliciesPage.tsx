/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function PoliciesPage() {
  return <PageHead title="PoliciesPage" />;
}
