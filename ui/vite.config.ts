import { defineConfig } from "vite";

export default defineConfig({
  build: { target: "es2024", modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
});
