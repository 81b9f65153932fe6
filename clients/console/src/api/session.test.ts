import { afterEach, describe, expect, it, vi } from "vitest";
import { sessions } from "./session";

afterEach(() => sessions.end());

describe("sessions", () => {
  it("are kept in session storage only, and gone after their end", () => {
    sessions.begin({ token: "pkh_x", kind: "key" });
    expect(sessionStorage.getItem("packhouse.session")).toContain("pkh_x");
    expect(JSON.stringify({ ...localStorage })).not.toContain("pkh_x");
    sessions.end("expired");
    expect(sessionStorage.getItem("packhouse.session")).toBeNull();
    expect(sessions.get()).toEqual({ session: null, ended: "expired" });
  });
  it("end once: a second refusal does not replace the reason", () => {
    const listener = vi.fn();
    sessions.begin({ token: "pkh_x", kind: "key" });
    const stop = sessions.subscribe(listener);
    sessions.end("first");
    sessions.end("second");
    stop();
    expect(listener).toHaveBeenCalledTimes(1);
    expect(sessions.get().ended).toBe("first");
  });
});
