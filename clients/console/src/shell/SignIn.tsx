/** Sign in with an API key, or at the identity provider where the server names one. */
import { Alert, Anchor, Button, Code, Divider, Paper, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { createClient, UnauthenticatedError } from "@packhouse/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useState, useSyncExternalStore } from "react";
import { watchedFetch } from "../api/connection";
import { sessions } from "../api/session";
import { Problem } from "../parts/Problem";
import { beginOidc, finishOidc, isReturning, type SignInOptions, signInOptions } from "./oidc";

async function verified(token: string): Promise<string> {
  const probe = createClient({ baseUrl: location.origin, apiKey: token, fetch: watchedFetch, retries: { attempts: 1 } });
  await probe.get("/v1/whoami");
  return token;
}

export function SignIn() {
  const { ended } = useSyncExternalStore(sessions.subscribe, sessions.get);
  const [key, setKey] = useState("");
  const options = useQuery({ queryKey: ["sign-in"], queryFn: signInOptions, staleTime: Infinity, retry: 3 });
  const byKey = useMutation({
    meta: { isRead: true },
    mutationFn: () => verified(key.trim()),
    onSuccess: (token) => sessions.begin({ token, kind: "key" }),
  });
  return (
    <main style={{ display: "grid", placeItems: "center", minHeight: "90vh", padding: 16 }}>
      <Paper withBorder p="xl" w="100%" maw={440}>
        <Title order={1} size="h2" mb="xs">
          Packhouse
        </Title>
        {ended !== null && (
          <Text role="status" mb="sm" fw={500}>
            {ended}
          </Text>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (key.trim() !== "") byKey.mutate();
          }}
        >
          <Stack gap="sm">
            <PasswordInput
              label="API key"
              description="It stays in this tab only and is forgotten when the tab is closed."
              placeholder="pkh_…"
              autoComplete="off"
              autoFocus
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              visibilityToggleButtonProps={{ "aria-label": "Show or hide the key" }}
            />
            {byKey.isError && (byKey.error instanceof UnauthenticatedError ? <WrongKey /> : <Problem error={byKey.error} />)}
            <Button type="submit" loading={byKey.isPending} disabled={key.trim() === ""}>
              Sign in
            </Button>
          </Stack>
        </form>
        {options.data?.oidc != null && <Provider options={options.data} />}
        <Text size="sm" c="dimmed" mt="md">
          After <Code>make up</Code> the key of the first admin is in <Code>.packhouse/admin-key</Code>. An admin creates keys
          for others on the page Keys, or with <Code>packhouse keys create</Code>.{" "}
          <Anchor href="/docs" size="sm" underline="always">
            API reference
          </Anchor>
        </Text>
      </Paper>
    </main>
  );
}

function WrongKey() {
  return (
    <Alert color="red" variant="outline" title="This server does not accept the key" role="alert">
      <Text size="sm">
        A part of it may be missing, it may have expired or been revoked, or it belongs to another server. Paste it again, or ask an admin
        for a new one.
      </Text>
    </Alert>
  );
}

function Provider({ options }: { options: SignInOptions }) {
  const sign = useMutation({ meta: { isRead: true }, mutationFn: () => beginOidc(options) });
  const back = useMutation({
    meta: { isRead: true },
    mutationFn: async () => verified(await finishOidc(options)),
    onSuccess: (token) => sessions.begin({ token, kind: "oidc" }),
  });
  const { mutate } = back;
  useEffect(() => {
    if (isReturning()) mutate();
  }, [mutate]);
  return (
    <>
      <Divider my="md" label="or" />
      {sign.isError && <Problem error={sign.error} />}
      {back.isError && <Problem error={back.error} />}
      <Button fullWidth variant="default" loading={sign.isPending || back.isPending} onClick={() => sign.mutate()}>
        Sign in at {new URL(options.oidc!.issuer).host}
      </Button>
    </>
  );
}
