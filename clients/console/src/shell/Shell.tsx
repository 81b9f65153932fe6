/** The frame of every page: navigation, connection banner, search, keyboard. */
import { ActionIcon, AppShell, Box, Burger, Button, Group, Kbd, Menu, Text, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useRouterState } from "@tanstack/react-router";
import { useEffect, useSyncExternalStore } from "react";
import { connection } from "../api/connection";
import { operationsQuery } from "../api/operations";
import { whoamiQuery } from "../api/queries";
import { sessions } from "../api/session";
import { localTime, zone } from "../format/times";
import { AcknowledgeDialog } from "../parts/Acknowledging";
import { Waiting } from "../parts/states";
import { Help } from "./Help";
import { Palette } from "./Palette";
import { PLACES } from "./places";
import { useShortcuts } from "./useShortcuts";

export function Shell() {
  const [isNavOpen, nav] = useDisclosure(false);
  const [isHelpOpen, help] = useDisclosure(false);
  const operations = useQuery(operationsQuery);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useShortcuts(help.open);
  useEffect(() => {
    nav.close();
    document.title = `Packhouse – ${path.split("/").filter(Boolean).slice(0, 2).map(decode).join(" ") || "console"}`;
    // eslint-disable-next-line react-hooks/exhaustive-deps -- on each new page
  }, [path]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 200, breakpoint: "sm", collapsed: { mobile: !isNavOpen } }}
      padding="md"
    >
      <AcknowledgeDialog />
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isNavOpen} onClick={nav.toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <Text fw={700} component={Link} to="/fleet" c="inherit" td="none">
              Packhouse
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Text size="xs" c="dimmed" visibleFrom="sm" title="Times are in the time zone of this device, with UTC where you point at them">
              Times: {zone()}
            </Text>
            <Button variant="default" size="xs" onClick={() => spotlight.open()}>
              Search{" "}
              <Kbd ml="xs" visibleFrom="sm">
                /
              </Kbd>
            </Button>
            <ActionIcon variant="default" aria-label="Keyboard help" onClick={help.open} visibleFrom="sm">
              ?
            </ActionIcon>
            <Person />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        {PLACES.map(({ to, label }) => (
          <Link key={to} to={to} className="nav-link">
            {label}
          </Link>
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Lost />
        {operations.isPending ? <Waiting height={400} label="Loading" /> : <Outlet />}
      </AppShell.Main>
      <Palette />
      <Help opened={isHelpOpen} onClose={help.close} />
    </AppShell>
  );
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part).slice(0, 80);
  } catch {
    return part.slice(0, 80);
  }
}

/** Say since when the server is not reached, so that old figures are not taken for new ones. */
function Lost() {
  const { lostAt } = useSyncExternalStore(connection.subscribe, connection.get);
  return (
    <Box role="status" aria-live="polite">
      {lostAt !== null && (
        <Box className="banner" mb="sm">
          The server does not answer since {localTime(lostAt)}. The figures below are of that time; the page asks again.
        </Box>
      )}
    </Box>
  );
}

function Person() {
  const { data } = useQuery({ ...whoamiQuery, refetchInterval: 60_000 });
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const schemes = { auto: "System", light: "Light", dark: "Dark" } as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" size="xs" maw={{ base: 130, sm: 220 }}>
          {data === undefined ? "…" : `${data.subject.slice(0, 40)} (${data.role})`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{data?.teams ? `Teams: ${data.teams.join(", ")}` : "All teams"}</Menu.Label>
        {Object.entries(schemes).map(([scheme, label]) => (
          <Menu.Item key={scheme} onClick={() => setColorScheme(scheme as keyof typeof schemes)}>
            {label} colours{colorScheme === scheme ? " (now)" : ""}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => sessions.end()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
