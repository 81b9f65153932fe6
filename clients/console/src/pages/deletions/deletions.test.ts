import { describe, expect, it } from "vitest";
import { askedText, byStart, type Deletion, deletedText, headline, startText, undoText } from "./deletions";

const NOW = Date.parse("2026-11-27T14:00:00Z");

const deletion = (given: Partial<Deletion>): Deletion => ({
  id: "run_1",
  state: "pending",
  table_id: "tbl_1",
  table: "lake.shop.orders",
  operation: "expire_snapshots",
  setting: "maintenance.expire_snapshots",
  bounds: {},
  summary: "66 snapshots of 78 can expire",
  requested_by: "coordinator",
  announced_at: "2026-11-27T13:00:00Z",
  starts_at: "2026-11-28T13:00:00Z",
  undo_until: "2026-11-28T13:00:00Z",
  waiting_for: "grace",
  acknowledgement: null,
  ended_at: null,
  ended_by: null,
  result: { operation: "expire_snapshots" },
  ...given,
});

describe("headline", () => {
  it("answers what is deleted next, and when", () => {
    const soon = deletion({ table: "lake.web.clicks", starts_at: "2026-11-27T14:10:00Z" });
    const running = deletion({ state: "running", waiting_for: null });
    const all = byStart([deletion({}), soon, running]);
    expect(all).toEqual([running, soon, deletion({})]);
    expect(headline(all, false, NOW)).toBe(
      "1 deletion is at work. 2 deletions are announced. The next one, expire snapshots of lake.web.clicks, starts in 10 min.",
    );
    expect(headline([], false, NOW)).toBe("No deletion is announced or at work.");
  });
});

describe("startText", () => {
  it("says what it waits for once its grace is over", () => {
    const after = { starts_at: "2026-11-27T13:59:00Z" };
    expect(startText(deletion({ ...after, waiting_for: "quiet_hours" }), NOW)).toBe("waits for: quiet hours");
    expect(startText(deletion({ ...after, waiting_for: null }), NOW)).toBe("starts now");
  });
});

describe("deletedText", () => {
  it("has the amounts that the result knows", () => {
    expect(deletedText({ operation: "expire_snapshots", expired_snapshots: 1, deleted_files: 84, deleted_bytes: 353_050 })).toBe("1 snapshot, 84 files, 345 KiB");
    expect(deletedText({ operation: "purge", expired_snapshots: 31 })).toBe("31 snapshots");
    expect(deletedText({ operation: "remove_orphans" })).toBe("nothing");
  });
});

describe("undoText", () => {
  it("tells that an undo switches the setting of an automatic deletion off", () => {
    expect(undoText(deletion({}))).toMatch(/^Nothing of it is deleted yet, and nothing will be\. .* maintenance.expire_snapshots is set to off/);
    expect(undoText(deletion({ requested_by: "key:ann" }))).toBe("Nothing of it is deleted yet, and nothing will be.");
    expect(undoText(deletion({ state: "running", requested_by: "key:ann" }))).toMatch(/can't be brought back\.$/);
  });
});

describe("a deletion that waits for an acknowledgement", () => {
  const amounts = { snapshots: 66, files: 189, bytes: 2 ** 30 };
  const given = { acknowledged_by: null, acknowledged_at: null, exceeded: [], of_table: null };

  it("comes first, and is counted apart", () => {
    const waiting = deletion({ waiting_for: "acknowledgement", starts_at: null });
    expect(byStart([deletion({}), waiting])[0]).toBe(waiting);
    expect(headline([waiting], false, NOW)).toBe("1 deletion waits for an acknowledgement.");
  });

  it("tells what it would delete, and the limit that it exceeds", () => {
    const usual = { median: { snapshots: 2, files: 4, bytes: 1024 }, factor: 3, share_percent: 10, up_to: {} };
    expect(askedText({ ...given, amounts, ...usual })).toBe(
      "It would delete 66 snapshots, 189 files, 1.00 GiB. That is more than 3 times the median of the last deletions (2 snapshots, 4 files, 1.00 KiB) and 10 % of the table.",
    );
    const bound = { median: null, factor: null, share_percent: null, up_to: { files: 100, bytes: 2 ** 20 } };
    expect(askedText({ ...given, amounts, ...bound })).toMatch(/more than was acknowledged: up to 100 files, 1.00 MiB\.$/);
  });
});
