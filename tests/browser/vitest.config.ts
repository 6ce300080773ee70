import { defineConfig } from "vitest/config";

/** Tests that need a browser on this machine; `npm run test:browser` runs them, `npm test` does not. */
export default defineConfig({
  test: {
    include: ["tests/browser/**/*.browser.test.ts"],
    // A page is inspected on four screens; a machine with twenty times the work still meets this.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    globalSetup: "tests/browser/shared-product.ts",
    // All files share one product and one browser; each test has a checkout and a browser context of its own.
    fileParallelism: false,
    isolate: false,
  },
});
