/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function CatalogsPage() {
  return <PageHead title="CatalogsPage" />;
}
