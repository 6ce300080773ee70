import { defineConfig } from "vitest/config";

/** The suffix of a test file says what is real in it (CONTRIBUTING.md, rule 19). */
export default defineConfig({
  test: {
    // A machine with twenty times the work still meets these, and what comes early costs none of them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 180_000 } },
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          // They share nothing but modules, and a worker for each file costs more than the tests.
          isolate: false,
          include: ["{services,packages,tools,tests}/**/*.test.ts"],
          exclude: [
            "**/node_modules/**",
            "**/*.{service,e2e,system,fault,container,browser,cluster,rotation,php,alerts}.test.ts",
          ],
        },
      },
      {
        extends: true,
        test: {
          name: "service",
          // Loading the services anew for each file costs a sixth of the whole run.
          isolate: false,
          include: ["{services,packages,tools,tests}/**/*.{service,e2e}.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          // Proofs that daily work can do without: whole products, filled tables, foreign programs (rule 19 says which).
          name: "system",
          isolate: false,
          include: ["{services,packages,tools,tests}/**/*.system.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "fault",
          include: ["{services,packages,tools,tests}/**/*.fault.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
    ],
  },
});
