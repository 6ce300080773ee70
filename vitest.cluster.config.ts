import { defineConfig } from "vitest/config";

/** `npm run test:cluster`: tests that take three nats-servers and half a minute, too long for `npm test`. */
export default defineConfig({
  test: {
    include: ["packages/**/*.cluster.test.ts"],
    globalSetup: ["packages/testing/src/global-setup.ts"],
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});
