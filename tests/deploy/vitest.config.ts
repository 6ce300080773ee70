import { defineConfig } from "vitest/config";

/** `npm run test:cluster`: tests that take three nats-servers and half a minute, too long for `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/deploy/**/*.cluster.test.ts"],
    globalSetup: ["tests/support/global-setup.ts"],
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
});
