/** Links to tables, runs, policies and catalogs, with their parameters typed in one place. */
import { Anchor, type AnchorProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

type Rest = AnchorProps & { children: ReactNode; title?: string; "aria-label"?: string };

export function TableLink({ tableId, children, ...rest }: { tableId: string } & Rest) {
  return (
    <Anchor component={Link} to="/tables/$tableId" params={{ tableId } as never} underline="always" {...rest}>
      {children}
    </Anchor>
  );
}

export function RunLink({ runId, children, ...rest }: { runId: string } & Rest) {
  return (
    <Anchor component={Link} to="/runs/$runId" params={{ runId } as never} underline="always" {...rest}>
      {children}
    </Anchor>
  );
}

export function CatalogLink({ name, discover = false, children, ...rest }: { name: string; discover?: boolean } & Rest) {
  const search = discover ? { part: "discover" } : {};
  return (
    <Anchor component={Link} to="/catalogs/$name" params={{ name } as never} search={search as never} underline="always" {...rest}>
      {children}
    </Anchor>
  );
}

/** A link to the policy editor of a table; `apply` is a JSON merge patch that the editor starts with. */
export function PolicyLink({ tableId, apply, children, ...rest }: { tableId: string; apply?: unknown } & Rest) {
  const search = apply === undefined ? {} : { apply: JSON.stringify(apply) };
  return (
    <Anchor component={Link} to="/tables/$tableId/policy" params={{ tableId } as never} search={search as never} underline="always" {...rest}>
      {children}
    </Anchor>
  );
}
