/** Colours with at least 4.5:1 contrast in both schemes, and the system's fonts. */
import { createTheme, type CSSVariablesResolver } from "@mantine/core";

export const theme = createTheme({
  primaryColor: "blue",
  primaryShade: { light: 9, dark: 8 },
  autoContrast: true,
  defaultRadius: "sm",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif",
  fontFamilyMonospace: "ui-monospace, SFMono-Regular, Menlo, 'DejaVu Sans Mono', monospace",
  respectReducedMotion: true,
  cursorType: "pointer",
  components: {
    // The `<header>` of a dialog would be a second banner of the page.
    Modal: { defaultProps: { attributes: { header: { role: "presentation" } } } },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Close the message" } } },
    Drawer: { defaultProps: { attributes: { header: { role: "presentation" } } } },
  },
});

export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: { "--mantine-color-dimmed": "#495057", "--mantine-color-placeholder": "#5c636a", "--mantine-color-error": "#c92a2a", "--mantine-color-anchor": "#1864ab" },
  dark: { "--mantine-color-dimmed": "#b8b8b8", "--mantine-color-placeholder": "#a6a7ab", "--mantine-color-error": "#ff8787", "--mantine-color-anchor": "#74c0fc" },
});
