import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,services}/**/*.test.ts"],
    testTimeout: 20_000,
  },
});
