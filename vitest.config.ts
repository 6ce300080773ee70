import { defineConfig } from "vitest/config";

/** More than there are cores: most tests of behaviour wait for deadlines and leases more than they compute. */
const daily = { maxWorkers: 6, sequence: { groupOrder: 0 } };
/** vitest wants a group for each number of workers. */
const whole = { sequence: { groupOrder: 1 } };

/** The suffix of a test file says what is real in it (CONTRIBUTING.md, rule 19). */
export default defineConfig({
  test: {
    // A machine with twenty times the work still meets these, and what comes early costs none of them.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // For whole products, of a dozen processes each.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          ...daily,
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
          ...daily,
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
          ...whole,
          name: "system",
          isolate: false,
          include: ["{services,packages,tools,tests}/**/*.system.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          ...whole,
          name: "fault",
          include: ["{services,packages,tools,tests}/**/*.fault.test.ts"],
          globalSetup: ["tests/support/global-setup.ts"],
        },
      },
    ],
  },
});
