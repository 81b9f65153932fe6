/** Build of the console: served below `/console/` by the api, with hashed file names and no inline script. */
import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  resolve: {
    alias: {
      "@packhouse/client": here("../typescript/src/index.ts"),
      "eventsource-parser": here("./node_modules/eventsource-parser"),
      "openapi-fetch": here("./node_modules/openapi-fetch"),
    },
    dedupe: ["react", "react-dom"],
  },
  build: {
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    license: { fileName: "licences.txt" },
    chunkSizeWarningLimit: 600,
  },
  server: { port: 5173, proxy: { "/v1": "http://127.0.0.1:8080" } },
  test: { environment: "jsdom", include: ["src/**/*.test.{ts,tsx}"], restoreMocks: true, pool: "vmThreads" },
});
