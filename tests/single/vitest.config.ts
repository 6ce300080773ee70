import { defineConfig } from "vitest/config";

/** `npm run test:single`: builds images of two revisions and lives an hour of one machine's life, so it needs Docker. */
export default defineConfig({
  test: {
    include: ["tests/single/**/*.container.test.ts"],
    globalSetup: ["tests/containers/require-docker.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
