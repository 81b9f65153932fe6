/** The state of a page in its URL, so that a link shows the same page. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";

type Value = string | readonly string[];

/**
 * Return the page's state and a function that changes a part of it.
 *
 * Values are texts or lists of texts; a value that equals its default is left out of the URL. Lists are joined by
 * commas in it. Changes replace the entry of the browser's history unless `push` is set, and leave the page where it is
 * scrolled to.
 */
export function useUrlState<State extends Record<string, Value>>(defaults: State) {
  const search = useSearch({ strict: false }) as Record<string, unknown>;
  const navigate = useNavigate();
  const key = JSON.stringify(search);
  const state = useMemo(() => {
    const entries = Object.entries(defaults).map(([name, initial]) => {
      const given = search[name];
      if (typeof given !== "string") return [name, initial];
      return [name, Array.isArray(initial) ? given.split(",").filter((part) => part !== "") : given];
    });
    return Object.fromEntries(entries) as State;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `key` stands for `search`; defaults are constants
  }, [key]);
  const change = useCallback(
    (patch: Partial<State>, { push = false }: { push?: boolean } = {}) => {
      void navigate({
        to: ".",
        replace: !push,
        resetScroll: false, // the same page: the router would also put a list of other rows back to its last offset
        search: ((before: Record<string, unknown>) => {
          const next = { ...before };
          for (const [name, value] of Object.entries(patch)) {
            const text = Array.isArray(value) ? value.join(",") : (value as string);
            const initial = defaults[name];
            const isDefault = text === (Array.isArray(initial) ? initial.join(",") : initial);
            if (isDefault || value === undefined) delete next[name];
            else next[name] = text;
          }
          return next;
        }) as never,
      });
    },
    // eslint-disable-next-line react-hooks/exhaustive-deps -- defaults are constants
    [navigate],
  );
  return [state, change] as const;
}
