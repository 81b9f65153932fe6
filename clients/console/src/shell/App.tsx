/** The application: providers around the pages, or the sign-in page without a session. */
import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import { MantineProvider } from "@mantine/core";
import { Notifications } from "@mantine/notifications";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { queryClient } from "../api/queries";
import { sessions } from "../api/session";
import { SignIn } from "./SignIn";
import { nonce } from "./nonce";
import { router } from "./router";
import "./styles.css";
import { cssVariables, theme } from "./theme";

export function App() {
  const { session } = useSyncExternalStore(sessions.subscribe, sessions.get);
  return (
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-right" />
        {session === null ? <SignIn /> : <RouterProvider router={router} />}
      </QueryClientProvider>
    </MantineProvider>
  );
}
