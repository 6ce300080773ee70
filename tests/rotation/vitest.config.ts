import { defineConfig } from "vitest/config";

/** `npm run test:rotation`: real processes that are restarted one after another, too long for `npm test`. */
export default defineConfig({
  test: {
    include: ["tests/rotation/**/*.rotation.test.ts"],
    globalSetup: ["tests/support/global-setup.ts"],
    testTimeout: 900_000,
    hookTimeout: 300_000,
  },
});
