import { defineConfig } from "vitest/config";

/** The guide's PHP on a real interpreter; `npm run test:php` runs it, `npm test` does not, since it needs `php`. */
export default defineConfig({
  test: {
    include: ["tests/php/**/*.php.test.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
