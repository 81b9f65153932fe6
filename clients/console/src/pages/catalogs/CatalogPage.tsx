/** Not built yet. */
import { PageHead } from "../../parts/states";

export default function CatalogPage() {
  return <PageHead title="CatalogPage" />;
}
