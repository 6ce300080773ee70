import { defineConfig } from "vitest/config";

/** A daily test waits a third of its time: for its services, its bus, its bank. */
const DAILY_WORKERS = 6;

/** Projects with other numbers of workers take turns. */
const AFTERWARDS = { groupOrder: 1 };

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
          maxWorkers: DAILY_WORKERS,
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
          maxWorkers: DAILY_WORKERS,
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
          sequence: AFTERWARDS,
          isolate: false,
          include: ["{services,packages,tools,tests}/**/*.system.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "fault",
          sequence: AFTERWARDS,
          include: ["{services,packages,tools,tests}/**/*.fault.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
    ],
  },
});
