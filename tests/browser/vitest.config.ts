import { defineConfig } from "vitest/config";

/** Tests that need a browser on this machine; `npm run test:browser` runs them, `npm test` does not. */
export default defineConfig({
  test: {
    include: ["tests/browser/**/*.browser.test.ts"],
    // A page is inspected on four screens, each with all of axe's rules.
    testTimeout: 300_000,
    hookTimeout: 600_000,
    // One product and one browser for all of them; each test has a checkout and a browser context of its own.
    fileParallelism: false,
  },
});
