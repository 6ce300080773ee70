import { bankProtocols } from "@holdfast/sandbox/banks";

/** One command, and the longest that it may take on two slow cores. */
export type Part = { name: string; command: string; minutesMax: number };

const vitest = (args: string) => `node scripts/run.mjs vitest run ${args}`;

/** Proofs of the money path: every kill, every bank that misbehaves, every kind of restart that a payment meets. */
const MONEY_PATH = [
  "services/payments/test",
  "services/webhook-dispatcher/test/kill.fault",
  "tests/chaos/takeover",
  "tests/chaos/recovery-points",
  "tests/chaos/refunds-and-webhooks",
  "tests/refunds/kill",
  "tests/e2e/bank-faults",
  "tests/e2e/banks.system",
  "tests/e2e/one-product",
  "tests/client/killed-gateway",
  "tests/e2e/undecided-order",
  "tests/model/model.system",
  "tests/refunds/model",
  "tests/settlement/month",
].join(" ");

const STATIC: Part[] = [
  { name: "format", command: "npm run format:check", minutesMax: 4 },
  { name: "lint", command: "npm run lint", minutesMax: 10 },
  { name: "types", command: "npm run typecheck", minutesMax: 8 },
];
const DAILY: Part = { name: "test", command: "npm test", minutesMax: 20 };

/** The merge gate, `.ci/run`: at most twenty minutes in all. */
export const GATE: readonly Part[] = [
  ...STATIC,
  DAILY,
  { name: "money", command: vitest(`--project system --project fault ${MONEY_PATH}`), minutesMax: 18 },
  // One walk for each audience: the buyer of a merchant's page, an operator, a merchant's staff.
  {
    name: "browser",
    command:
      ".ci/install-program chromium chromium && npm run test:browser -- checkout.browser console-guide.browser console-staff.browser -t 'keyboard only pays|by two people|payment link is made with|capture, cancel and request refunds'",
    minutesMax: 8,
  },
  { name: "chaos", command: "npm run chaos -- --minutes 3 --banks sim,nestpay,iyzico", minutesMax: 10 },
  {
    name: "compose",
    command: ".ci/prepare-containers && npm run test:containers -- -t 'a payment, a refund that waits'",
    minutesMax: 12,
  },
];

const BENCHES = ["payments", "deliveries", "steady", "idle", "recovery", "settlement", "lists", "console"];

/** Protocols that are no single bank's. Chaos plays them in the merge gate, too. */
const SHARED: readonly string[] = ["nestpay", "iyzico"];
const OWN = bankProtocols.filter((protocol) => !SHARED.includes(protocol));

const chaosAt = (name: string, protocols: readonly string[]): Part => ({
  name,
  command: `npm run chaos -- --minutes 5 --banks ${["sim", ...protocols].join(",")}`,
  minutesMax: 12,
});

/** Each bank is in a run. At most three that have a protocol of their own share one. */
const CHAOS: Part[] = [
  chaosAt("chaos", SHARED),
  ...Array.from({ length: Math.ceil(OWN.length / 3) }, (_, run) =>
    chaosAt(`chaos at own protocols ${run + 1}`, OWN.slice(run * 3, run * 3 + 3)),
  ),
];

/** Everything, at full size. */
export const PROOFS: readonly Part[] = [
  ...STATIC,
  DAILY,
  { name: "system", command: "npm run test:system", minutesMax: 12 },
  { name: "faults", command: "npm run test:faults", minutesMax: 15 },
  {
    name: "browser",
    command: ".ci/install-program chromium chromium && npm run test:browser",
    minutesMax: 15,
  },
  {
    name: "rotation",
    command:
      ".ci/install-program softhsm2-util softhsm2 && .ci/install-program pkcs11-tool opensc && npm run test:rotation",
    minutesMax: 10,
  },
  { name: "php", command: ".ci/install-program php php-cli && npm run test:php", minutesMax: 4 },
  { name: "cluster", command: "npm run test:cluster", minutesMax: 4 },
  { name: "containers", command: ".ci/containers", minutesMax: 15 },
  { name: "upgrade", command: ".ci/prepare-containers && npm run test:upgrade", minutesMax: 12 },
  { name: "single", command: ".ci/prepare-containers && npm run test:single", minutesMax: 20 },
  { name: "alerts", command: "npm run test:alerts", minutesMax: 20 },
  { name: "kills", command: "CLIENT_KILLS=300 npm run test:kills", minutesMax: 15 },
  { name: "package", command: "npm run test:package", minutesMax: 5 },
  ...CHAOS,
  { name: "model", command: "npm run model", minutesMax: 8 },
  { name: "fuzz", command: "npm run fuzz", minutesMax: 5 },
  { name: "advisories", command: 'npm run scan -- ${SCAN_REPORT:+--report "$SCAN_REPORT"}', minutesMax: 5 },
  { name: "lists", command: "node scripts/run.mjs tests/proofs/dated-lists.ts", minutesMax: 1 },
  ...BENCHES.map((name) => ({
    name: `bench-${name}`,
    command: `npm run bench -- --quick --only ${name}`,
    minutesMax: 4,
  })),
];
