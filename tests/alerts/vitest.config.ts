import { defineConfig } from "vitest/config";

/** `npm run test:alerts`: outages of the whole product under a real Prometheus, a quarter of an hour in all. */
export default defineConfig({
  test: {
    include: ["tests/alerts/**/*.alerts.test.ts"],
    globalSetup: ["tests/support/global-setup.ts"],
    testTimeout: 600_000,
    hookTimeout: 300_000,
  },
});
