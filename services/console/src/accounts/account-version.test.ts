import type { AcquirerAccount } from "@holdfast/contracts";
import { expect, test } from "vitest";
import { TEXTS } from "../ui/texts.ts";
import { changesOf } from "./account-version.ts";

const READER = { language: "en", locale: "en", texts: TEXTS.en } as const;
const ATTRIBUTES = {
  name: "Bank A",
  currencies: ["TRY"],
  businessDay: { timeZone: "Europe/Istanbul", cutOff: "23:00" },
  lateArrivalSeconds: 900,
  connectionsMax: 64,
  default: true,
  state: "ACTIVE",
  settings: { url: "https://bank.example", defaults: { ip: "203.0.113.1" } },
} as const;
const PROPOSAL = {
  version: 2,
  proposedBy: "alice",
  proposedAt: "2026-11-30T10:00:00.000Z",
  secretsChange: false,
  installmentPricesChange: false,
};

function accountWith(proposed: object, more: object = {}): AcquirerAccount {
  return {
    accountId: "019ab2f4-7100-7d7f-89a0-fa1c3d815db2",
    protocol: "iyzico",
    livemode: true,
    createdAt: "2026-11-01T10:00:00.000Z",
    version: 1,
    ...ATTRIBUTES,
    currencies: [...ATTRIBUTES.currencies],
    proposal: { ...PROPOSAL, ...ATTRIBUTES, currencies: [...ATTRIBUTES.currencies], ...proposed },
    ...more,
  };
}

test("what a proposal changes is named, what is added and what is taken away, too", () => {
  const settings = { defaults: { ip: "203.0.113.2" }, locale: "tr" };
  const account = accountWith({ settings, state: "NO_NEW_PAYMENTS", callsPerMinute: 60 });
  expect(changesOf(READER, account)).toEqual([
    { name: "Status", before: "Active", after: "No new payments" },
    { name: "Calls a minute at most", before: "–", after: "60" },
    { name: "url", before: "https://bank.example", after: "–" },
    { name: "defaults.ip", before: "203.0.113.1", after: "203.0.113.2" },
    { name: "locale", before: "–", after: "tr" },
  ]);
  expect(changesOf(READER, accountWith({}))).toEqual([]);
});

test("all of a first version is new", () => {
  const { version: _version, ...account } = accountWith({}, { state: "PROPOSED" });
  expect(changesOf(READER, account)).toContainEqual({ name: "Name", before: "–", after: "Bank A" });
});
