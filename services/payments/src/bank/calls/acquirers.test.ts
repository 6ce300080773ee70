import { randomBytes } from "node:crypto";
import { CONNECTORS } from "@holdfast/banks";
import { captureLog } from "@holdfast/tests/support";
import { expect, onTestFinished, test } from "vitest";
import { createAccountAcquirers } from "./acquirers.ts";
import type { CallSlots } from "./call-slots.ts";
import { createCallBudget } from "./call-budget.ts";
import type { Account } from "../account/current-accounts.ts";
import { sealAccountSecrets } from "../account/seal-account-secrets.ts";

const BOUNDS = { hosts: new Set(["127.0.0.1"]), liveSimulator: true };
const account = (version: number): Account => ({
  accountId: "account",
  livemode: true,
  protocol: "sim",
  name: "bank",
  state: "ACTIVE",
  currencies: ["TRY"],
  isDefault: false,
  version,
  usedVersion: null,
  businessDay: { timeZone: "UTC", cutOff: "00:00" },
  lateArrivalMs: 1_000,
  connectionsMax: 4,
  installmentPrices: [],
  settings: {},
  sealedSecrets: Buffer.alloc(0),
});

test("an account that cannot be used is counted at every reading, and logged once for each version", async () => {
  const { log, lines } = captureLog("payments");
  const wire = { connectTimeoutMs: 1_000, allowPlaintext: false };
  const budget = createCallBudget({} as CallSlots, { table: () => undefined });
  const banks = createAccountAcquirers({
    connectors: new Map(),
    ring: undefined,
    bounds: BOUNDS,
    wire,
    budget,
    noteUse: () => Promise.resolve(true),
    log,
  });
  onTestFinished(() => banks.close());
  const use = (...accounts: Account[]) => banks.use(new Map(accounts.map((each) => [each.accountId, each])));
  expect([use(account(1)), use(account(1)), use(account(2)), use(account(2))]).toEqual([1, 1, 1, 1]);
  expect(lines.map(({ level, version }) => [level, version])).toHaveLength(2);
  expect(use()).toBe(0);
});

test.each([
  ["within the bounds", "http://127.0.0.1:1", BOUNDS, 0],
  ["at a host that is not named", "http://127.0.0.2:1", BOUNDS, 1],
  [
    "of the simulator, where that is for test mode",
    "http://127.0.0.1:1",
    { ...BOUNDS, liveSimulator: false },
    1,
  ],
])("a confirmed account %s", async (_, url, bounds, unusable) => {
  const { log } = captureLog("payments");
  const ring = { activeId: "k1", keys: new Map([["k1", randomBytes(32)]]) };
  const banks = createAccountAcquirers({
    connectors: CONNECTORS,
    ring,
    bounds,
    wire: { connectTimeoutMs: 1_000, allowPlaintext: true },
    budget: createCallBudget({} as CallSlots, { table: () => undefined }),
    noteUse: () => Promise.resolve(true),
    log,
  });
  onTestFinished(() => banks.close());
  const confirmed = { ...account(1), settings: { url } };
  confirmed.sealedSecrets = sealAccountSecrets(ring, confirmed, {});
  expect(banks.use(new Map([[confirmed.accountId, confirmed]]))).toBe(unusable);
});
