/** The catalogs: connections whose tables can be registered. */
import { Badge } from "../../parts/badges";
import { RoleButton } from "../../parts/actions";
import { type Column, RowsTable } from "../../parts/RowsTable";
import { Answer, Empty, PageHead } from "../../parts/states";
import { Time } from "../../parts/Time";
import { usePages } from "../../parts/usePages";
import { useUrlState } from "../../parts/useUrlState";
import { REFRESH, useRole } from "../../api/queries";
import { PageLink } from "../../parts/links";
import { type Catalog, CATALOGS_KEY, fetchCatalogs } from "./catalogQueries";
import { CreateCatalog } from "./CreateCatalog";

export const SEARCH = { create: "" };

const COLUMNS: readonly Column<Catalog>[] = [
  {
    key: "name",
    title: "Catalog",
    cell: (catalog) => (
      <PageLink to="/catalogs/$name" params={{ name: catalog.name }} size="sm">
        {catalog.name}
      </PageLink>
    ),
  },
  { key: "format", title: "Format", cell: (catalog) => catalog.format },
  {
    key: "state",
    title: "State",
    cell: (catalog) =>
      catalog.pause === null ? <Badge tone="good">active</Badge> : <Badge tone="waiting" title={catalog.pause.reason}>paused</Badge>,
  },
  { key: "kind", title: "Kind", cell: (catalog) => catalog.properties?.["type"] ?? "–" },
  { key: "uri", title: "Address", cell: (catalog) => <span className="cut">{catalog.properties?.["uri"] ?? "–"}</span> },
  { key: "grants", title: "Grants", align: "right", cell: (catalog) => catalog.grants.length },
  { key: "updated", title: "Changed", align: "right", cell: (catalog) => <Time at={catalog.updated_at} /> },
];

export default function CatalogsPage() {
  const [{ create }, setUrl] = useUrlState(SEARCH);
  const { has } = useRole();
  const pages = usePages(CATALOGS_KEY, fetchCatalogs, { refetchMs: REFRESH.list });
  const open = () => setUrl({ create: "yes" }, { push: true });
  return (
    <>
      <PageHead title="Catalogs" sub="Connections whose tables can be registered">
        <RoleButton needs="admin" onClick={open}>
          Create a catalog
        </RoleButton>
      </PageHead>
      {create === "yes" && has("admin") && <CreateCatalog onClose={() => setUrl({ create: "" })} />}
      <Answer query={pages.query as never} height={300}>
        {() =>
          pages.items.length === 0 ? (
            <NoCatalog onCreate={open} />
          ) : (
            <RowsTable
              label="Catalogs"
              columns={COLUMNS}
              rows={pages.items}
              rowKey={(catalog) => catalog.name}
              onMore={pages.more}
              isFetchingMore={pages.isFetchingMore}
            />
          )
        }
      </Answer>
    </>
  );
}

function NoCatalog({ onCreate }: { onCreate: () => void }) {
  const { role, has } = useRole();
  return (
    <Empty title="There is no catalog that you can see">
      <p>
        {role === undefined || has("admin")
          ? "A catalog is the connection that lists your tables: REST, SQL, Glue or Hive. Create one, check it, and then discover its tables."
          : `Admins create catalogs and grant their namespaces to teams; your role is ${role}. Ask an admin for a grant to your team.`}
      </p>
      <RoleButton needs="admin" onClick={onCreate}>
        Create a catalog
      </RoleButton>
    </Empty>
  );
}
