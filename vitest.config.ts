import { defineConfig } from "vitest/config";

/**
 * Daily tests wait a third of their time: for their services, their bus, their bank. Each worker loads all modules itself,
 * so more of them cost more than they use.
 */
const DAILY_WORKERS = 4;

/** A daily test that needs a minute is a proof (CONTRIBUTING.md, rule 19). What it waits for has to come before that. */
const DAILY = {
  maxWorkers: DAILY_WORKERS,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  env: { TEST_WAIT_MS: "45000" },
  expect: { poll: { timeout: 45_000 } },
} as const;

/** Projects with other numbers of workers take turns. */
const AFTERWARDS = { groupOrder: 1 };

/** The suffix of a test file says what is real in it (CONTRIBUTING.md, rule 19). */
export default defineConfig({
  test: {
    // A green test's output is of no use. That of a red one is shown with it.
    silent: "passed-only",
    reporters: ["minimal"],
    // Limits for proofs: a machine with twenty times the work still meets these, and early answers cost nothing.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 180_000 } },
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          ...DAILY,
          // They share nothing but modules, and a worker for each file costs more than the tests.
          isolate: false,
          include: ["{services,packages,tools,tests}/**/*.test.ts"],
          globalSetup: ["tests/support/build-bundle.ts"],
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
          ...DAILY,
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
