/** Links to pages of the console. Their paths, parameters and search texts are checked by the compiler. */
import { Anchor, Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";

export const PageLink = createLink(Anchor<"a">);
/** A link that looks like a button. */
export const ButtonLink = createLink((props: ButtonProps & ComponentProps<"a">) => <Button component="a" {...props} />);

type Rest = Omit<ComponentProps<typeof Anchor<"a">>, "ref"> & { children: ReactNode };

export function RunLink({ runId, children, ...rest }: { runId: string } & Rest) {
  return (
    <PageLink to="/runs/$runId" params={{ runId }} underline="always" {...rest}>
      {children}
    </PageLink>
  );
}

/** A link to the policy editor of a table; `apply` is a JSON merge patch that the editor starts with. */
export function PolicyLink({ tableId, apply, children, ...rest }: { tableId: string; apply?: unknown } & Rest) {
  const search = apply === undefined ? {} : { apply: JSON.stringify(apply) };
  return (
    <PageLink to="/tables/$tableId/policy" params={{ tableId }} search={search} underline="always" {...rest}>
      {children}
    </PageLink>
  );
}
