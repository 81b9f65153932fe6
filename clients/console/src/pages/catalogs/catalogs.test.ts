import { describe, expect, it } from "vitest";
import { labelsOf, patternOf, registrationOf } from "./discover/discovery";
import { grantCommands, grantRow, grantsOf, problemOfGrants } from "./grants/grantsForm";
import { contentWords, linesOf, problemOfRows, propertiesOf, rowOf, startRows, warningOf } from "./propertiesForm";

describe("properties of a catalog", () => {
  it.each([
    ["credential", "abc", true],
    ["credential", "env:LAKE_CREDENTIAL", false],
    ["token", "file:/run/secrets/token", false],
    ["uri", "postgresql://me:secret@db/lake", true],
    ["uri", "postgresql://me@db/lake", false],
    ["token", "env:1BAD", true],
    ["warehouse", "file:///srv/lake", false],
    ["s3.region", "eu-central-1", false],
  ])("%s = %s is warned about: %s", (name, value, isWarned) => expect(warningOf(rowOf(name, value)) !== null).toBe(isWarned));

  it("must have names and values, each name once", () => {
    expect(problemOfRows([rowOf()])).not.toBeNull();
    expect(problemOfRows([rowOf("type", "sql"), rowOf("type", "rest")])).toContain("twice");
    expect(problemOfRows([rowOf("", "sql")])).toContain("no name");
    expect(problemOfRows([rowOf("uri", "")])).toContain("uri");
    expect(problemOfRows([rowOf("type", "sql"), rowOf()])).toBeNull();
  });

  it("leave out empty rows", () => expect(propertiesOf([rowOf(" type ", "sql"), rowOf()])).toEqual({ type: "sql" }));

  it("begin with the type, and what it needs or usually has", () => {
    const property = { description: "", secret: false };
    const properties = [
      { ...property, name: "uri", required: true, example: null },
      { ...property, name: "user", required: false, example: null },
      { ...property, name: "token", required: false, example: "env:TOKEN" },
    ];
    const rows = startRows({ format: "paimon", type: "rest", label: "REST", supported: true, reason: null, properties });
    expect(propertiesOf(rows)).toEqual({ type: "rest", uri: "", token: "env:TOKEN" });
    const glue = { format: "iceberg", type: "glue", label: "Glue", supported: true, reason: null, properties: properties.slice(1, 2) };
    expect(propertiesOf(startRows(glue))).toEqual({ type: "glue", user: "" });
  });

  it("become options of the command", () =>
    expect(contentWords({ properties: { type: "sql" }, allowed_locations: linesOf(" s3://a \n\n"), outside_files: "allowed_locations" })).toEqual([
      "-p", "type=sql", "--allow", "s3://a", "--outside-files", "allowed_locations",
    ]));
});

describe("grants", () => {
  const sales = { team: "sales", namespaces: ["sales", "sales.*"], rights: ["discover" as const] };
  it("are read back as they were", () => expect(grantsOf([grantRow(sales)])).toEqual([sales]));
  it("need a team, a namespace and a right", () => {
    expect(problemOfGrants([grantRow({ ...sales, team: "" })])).toContain("team");
    expect(problemOfGrants([grantRow({ ...sales, namespaces: [] })])).toContain("namespace");
    expect(problemOfGrants([grantRow({ ...sales, rights: [] })])).toContain("right");
    expect(problemOfGrants([grantRow(sales)])).toBeNull();
  });
  it("become commands for what changed only", () => {
    const all = { team: "*", namespaces: ["shared"], rights: ["read" as const] };
    expect(grantCommands("lake", [sales], [sales])).toBeNull();
    expect(grantCommands("lake", [sales], [all])).toBe(
      "packhouse catalogs revoke lake --team sales --namespace sales --namespace 'sales.*' && packhouse catalogs grant lake --team '*' --namespace shared --right read",
    );
  });
});

describe("a discovery", () => {
  const fields = { pattern: " ", team: " ", labels: "tier:gold, url:http://x", paused: "yes" };
  it("reads labels with colons in their values", () => expect(labelsOf(fields.labels)).toEqual({ tier: "gold", url: "http://x" }));
  it("refuses labels without a value", () => expect([labelsOf("gold"), labelsOf(":gold"), labelsOf("tier:")]).toEqual([null, null, null]));
  it("has the pattern, team, labels and pause of the fields", () => {
    expect(patternOf(fields)).toBe("*");
    expect(registrationOf(fields)).toMatchObject({ pattern: "*", labels: { tier: "gold", url: "http://x" }, owner_team: null, paused: true });
  });
});
