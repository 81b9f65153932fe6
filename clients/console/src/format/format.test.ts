import { describe, expect, it } from "vitest";
import { tableAddress } from "./addresses";
import { commandLine, curl, shellWord } from "./commands";
import { bytes, count, counted, rate, share } from "./sizes";
import { distance, duration, utcTime } from "./times";

describe("sizes", () => {
  it.each([
    [0, "0 bytes"],
    [1, "1 byte"],
    [1023, "1,023 bytes"],
    [1024, "1.00 KiB"],
    [1536, "1.50 KiB"],
    [1024 ** 2 - 1, "1.00 MiB"],
    [134_217_728, "128 MiB"],
    [-2048, "−2.00 KiB"],
    [null, "–"],
  ])("%s bytes are %s", (value, text) => expect(bytes(value)).toBe(text));
  it("rates, shares and counts have their units", () => {
    expect(rate(80_000_000)).toBe("76.3 MiB/s");
    expect(share(0.256)).toBe("26 %");
    expect(share(0.001)).toBe("0.1 %");
    expect(count(1234567)).toBe("1,234,567");
    expect(counted(1, "file")).toBe("1 file");
    expect(counted(2, "file")).toBe("2 files");
  });
});

describe("times", () => {
  it.each([
    [0, "0 s"],
    [0.25, "250 ms"],
    [59.6, "1 min"],
    [200, "3 min 20 s"],
    [7_500, "2 h 5 min"],
    [86_400 * 3, "3 d"],
  ])("%s s are %s", (seconds, text) => expect(duration(seconds)).toBe(text));
  it("distances have a direction", () => {
    const at = Date.parse("2026-11-25T12:00:00Z");
    expect(distance("2026-11-25T11:57:00Z", at)).toBe("3 min ago");
    expect(distance("2026-11-25T14:00:00Z", at)).toBe("in 2 h");
    expect(distance("2026-11-25T12:00:01Z", at)).toBe("now");
  });
  it("texts that are not instants stay as they are", () => {
    expect(utcTime("2026-11-25T12:00:00Z")).toBe("2026-11-25 12:00:00 UTC");
    expect(utcTime("never")).toBe("never");
  });
});

describe("commands", () => {
  it("hostile words stay one word of the shell", () => {
    expect(shellWord("a'; rm -rf ~; '")).toBe(`'a'\\''; rm -rf ~; '\\'''`);
    expect(shellWord("$(id)")).toBe("'$(id)'");
    expect(shellWord("lake.shop.orders")).toBe("lake.shop.orders");
    expect(shellWord("")).toBe("''");
  });
  it("curl commands read the key from the environment", () => {
    const command = curl({ method: "POST", path: "/v1/runs", body: { table_id: "tbl_1" } }, "http://h:1");
    expect(command).toBe(
      `curl -sS -X POST http://h:1/v1/runs -H "Authorization: Bearer $PACKHOUSE_API_KEY" -H 'Content-Type: application/json' -d '{"table_id":"tbl_1"}'`,
    );
  });
  it("absent words are left out", () => {
    expect(commandLine("packhouse", "run", "a b", false, null, ["--force", undefined as never])).toBe(
      "packhouse run 'a b' --force",
    );
  });
});

it("addresses quote parts with dots and quotes", () => {
  expect(tableAddress({ catalog: "lake", namespace: ["shop.eu"], name: 'a"b' })).toBe('lake."shop.eu"."a""b"');
});
