/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function AuditPage() {
  return <PageHead title="AuditPage" />;
}
