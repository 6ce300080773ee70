import { defineConfig } from "vitest/config";

/** `npm run test:containers`: builds the images and runs docker-compose.yml, so it needs Docker and takes minutes. */
export default defineConfig({
  test: {
    include: ["tests/containers/**/*.container.test.ts"],
    globalSetup: ["tests/containers/require-docker.ts"],
    testTimeout: 180_000,
    hookTimeout: 480_000,
  },
});
