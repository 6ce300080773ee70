import { defineConfig } from "vitest/config";

/** `npm run test:upgrade`: builds images of two revisions, so it needs Docker and this repository's history. */
export default defineConfig({
  test: {
    include: ["tests/upgrade/**/*.container.test.ts"],
    globalSetup: ["tests/containers/require-docker.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
