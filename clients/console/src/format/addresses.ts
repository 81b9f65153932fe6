/** Addresses of tables, as the API writes them: parts joined by dots, quoted where they hold a dot or a quote. */
export function tableAddress(table: { catalog: string; namespace: readonly string[]; name: string }): string {
  return [table.catalog, ...table.namespace, table.name].map(quoted).join(".");
}

function quoted(part: string): string {
  return /[."]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part;
}
