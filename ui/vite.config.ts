import { defineConfig } from "vite";

export default defineConfig({
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  // The page's policy allows no inline code and no data: addresses.
  build: { target: "es2024", modulePreload: { polyfill: false }, assetsInlineLimit: 0, manifest: true },
});
