import { expect, test } from "vitest";
import {
  ACCEPTED_ADVISORIES,
  auditReportSchema,
  judgeAdvisories,
  type AcceptedAdvisory,
} from "./advisories.ts";
import { GATE, PROOFS } from "./parts.ts";

const now = new Date("2026-11-30T10:00:00Z");
const report = auditReportSchema.parse({
  auditReportVersion: 2,
  vulnerabilities: {
    qs: {
      name: "qs",
      via: [
        {
          source: 1097,
          name: "qs",
          title: "Memory without a bound",
          url: "https://github.com/advisories/GHSA-aaaa-bbbb-cccc",
          severity: "high",
          range: "<6.20.0",
        },
      ],
    },
    express: { name: "express", via: ["qs"] },
  },
  metadata: { dependencies: { prod: 180 } },
});
const reported = "qs GHSA-aaaa-bbbb-cccc: Memory without a bound (high, <6.20.0)";
const accepted: AcceptedAdvisory = {
  id: "GHSA-aaaa-bbbb-cccc",
  package: "qs",
  because: "No route of ours parses a query with it.",
  until: "2026-12-31",
};

test.each<[string, AcceptedAdvisory[], string[]]>([
  ["nobody has accepted", [], [reported]],
  ["somebody has accepted until a later day", [accepted], []],
  ["is accepted until today", [{ ...accepted, until: "2026-11-30" }], []],
  ["was accepted until yesterday", [{ ...accepted, until: "2026-11-29" }], [reported]],
  [
    "is accepted for another package",
    [{ ...accepted, package: "express" }],
    [reported, "express GHSA-aaaa-bbbb-cccc is accepted, but no longer reported"],
  ],
  [
    "is accepted for years",
    [{ ...accepted, until: "2029-01-01" }],
    ["GHSA-aaaa-bbbb-cccc is accepted without a reason, or for more than 92 days"],
  ],
  [
    "is accepted without a reason",
    [{ ...accepted, because: "later" }],
    ["GHSA-aaaa-bbbb-cccc is accepted without a reason, or for more than 92 days"],
  ],
])("an advisory that %s", (_, list, faults) => {
  expect(judgeAdvisories(report, list, now)).toEqual(faults);
});

test("an acceptance ends with its advisory, and there are few", () => {
  const clean = { ...report, vulnerabilities: {} };
  expect(judgeAdvisories(clean, [accepted], now)).toEqual([
    "qs GHSA-aaaa-bbbb-cccc is accepted, but no longer reported",
  ]);
  const many = Array.from({ length: 6 }, (_, number) => ({ ...accepted, id: `GHSA-${number}` }));
  expect(judgeAdvisories(report, many, now)).toContain("more than 5 advisories are accepted");
  expect(judgeAdvisories(clean, [], now)).toEqual([]);
});

test.each([
  ["a refusal", { message: "405 Method Not Allowed", statusCode: 405 }],
  ["an older form", { advisories: {} }],
  [
    "a report about nothing",
    { auditReportVersion: 2, vulnerabilities: {}, metadata: { dependencies: { prod: 0 } } },
  ],
])("%s of the registry is no report", (_, answer) => {
  expect(auditReportSchema.safeParse(answer).success).toBe(false);
});

test("the scan is a part of a release, and of no merge", () => {
  expect(PROOFS.map(({ name }) => name)).toContain("advisories");
  expect(GATE.map(({ name }) => name)).not.toContain("advisories");
  expect(ACCEPTED_ADVISORIES.length).toBeLessThanOrEqual(5);
});
