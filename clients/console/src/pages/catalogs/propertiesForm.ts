/** Properties of a catalog as rows of a form. */
import type { Schemas } from "../../api/client";

export interface PropertyRow {
  readonly id: number;
  readonly name: string;
  readonly value: string;
}

type CatalogType = Schemas["CatalogType"];

/** Return the first rows of a form for a type of catalog: its type, and the properties that it needs or usually has; without any, the first of all. */
export function startRows(kind: CatalogType | undefined): PropertyRow[] {
  if (kind === undefined) return [rowOf("type")];
  const usual = kind.properties.filter((one) => one.required || one.example !== null);
  const shown = usual.length === 0 ? kind.properties.slice(0, 1) : usual;
  return [rowOf("type", kind.type), ...shown.map((one) => rowOf(one.name, one.example ?? ""))];
}

const REFERENCE = /^(env:[A-Za-z_][A-Za-z0-9_]*|file:\/[^/].*)$/;
const SECRET_NAME = /secret|password|passwd|token|credential|access-key|account-key|sas|connection-string/i;
const CREDENTIALS_INSIDE = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s]*:[^/@\s]*@/i;

let lastId = 0;
export const rowOf = (name = "", value = ""): PropertyRow => ({ id: (lastId += 1), name, value });
export const rowsOf = (properties: Readonly<Record<string, string>>): PropertyRow[] =>
  Object.entries(properties).map(([name, value]) => rowOf(name, value));

export const isReference = (value: string): boolean => REFERENCE.test(value);

/** Return a warning for a value that looks like a secret in clear text; the server decides. */
export function warningOf({ name, value }: PropertyRow): string | null {
  if (value === "" || isReference(value)) return null;
  if (/^(env|file):/.test(value) && !value.startsWith("file://")) return "A reference is env:NAME or file:/absolute/path";
  if (SECRET_NAME.test(name)) return "Looks like a secret: give env:NAME or file:/absolute/path instead";
  if (CREDENTIALS_INSIDE.test(value)) return "There is a password in this address: give the whole value as env:NAME";
  return null;
}

/** Return why the rows can't be sent; null when they can. Rows without name and value don't count. */
export function problemOfRows(rows: readonly PropertyRow[]): string | null {
  const given = rows.filter(({ name, value }) => name.trim() !== "" || value !== "");
  if (given.length === 0) return "Give at least one property.";
  if (given.some(({ name }) => name.trim() === "")) return "A property has a value but no name.";
  const names = given.map(({ name }) => name.trim());
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `The property ${twice.slice(0, 80)} is given twice.`;
  const open = given.find(({ value }) => value === "");
  return open === undefined ? null : `The property ${open.name.trim().slice(0, 80)} has no value: fill it in, or remove the row.`;
}

export const propertiesOf = (rows: readonly PropertyRow[]): Record<string, string> =>
  Object.fromEntries(rows.filter(({ name }) => name.trim() !== "").map(({ name, value }) => [name.trim(), value]));

/** Return the words of a command line that give these properties and locations. */
export function contentWords(content: { properties: Readonly<Record<string, string>>; allowed_locations: readonly string[]; outside_files: string }): string[] {
  return [
    ...Object.entries(content.properties).flatMap(([name, value]) => ["-p", `${name}=${value}`]),
    ...content.allowed_locations.flatMap((location) => ["--allow", location]),
    ...(content.outside_files === "refuse" ? [] : ["--outside-files", content.outside_files]),
  ];
}

export const linesOf = (text: string): string[] => text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
