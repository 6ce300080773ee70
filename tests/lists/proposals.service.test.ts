// One list has everything that waits for a second person, for those who may decide it.
import { operations, testIdOf, type OperatorRole, type ProposalKind } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { personAs, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startExportSystem, type ExportSystem } from "./export-system.ts";
import { insertRefunds } from "./list-rows.ts";
import { pageOf, readAll } from "./list-system.ts";
import { insertFile, insertProposals, insertVersion } from "./proposal-rows.ts";

let system: ExportSystem;
let merchantId: string;
let subjects: Record<ProposalKind, string>;
beforeAll(async () => {
  system = await startExportSystem();
  merchantId = await system.openShop("Book Shop");
  subjects = await insertProposals(system.query, merchantId);
});
afterAll(() => system?.close());

const list = (query = "", roles?: OperatorRole[]) =>
  system.ask("operator", `proposals${query}`, roles && { claims: { roles } });
const kindsIn = async (...asked: Parameters<typeof list>) =>
  pageOf(await list(...asked)).items.map(({ kind }) => kind);

test("each proposal says what it is, since when it waits, who made it and about whom, the oldest first", async () => {
  const { items } = pageOf(await list());
  const byAlice = { proposedBy: "alice", livemode: true };
  const ofShop = { ...byAlice, merchantId, merchantName: "Book Shop" };
  const expected: [ProposalKind, object][] = [
    ["ACCOUNT_CHANGE", { ...byAlice, accountId: TEST_ACCOUNT_ID, accountName: "The test's bank" }],
    ["ROUTES", ofShop],
    ["PAYMENT_OUTCOME", { ...ofShop, amount: 10.08, currency: "TRY" }],
    ["CHARGEBACK_OUTCOME", { ...ofShop, amount: 4, currency: "TRY" }],
    ["REFUND_APPROVAL", { ...ofShop, amount: 10.02, currency: "TRY" }],
    ["REFUND_OUTCOME", { ...ofShop, amount: 10.03, currency: "TRY" }],
    ["DIFFERENCE", { ...ofShop, accountId: TEST_ACCOUNT_ID, amount: 12, currency: "TRY" }],
    ["SETTLEMENT_FILE", { ...byAlice, accountId: TEST_ACCOUNT_ID }],
  ];
  expect(items).toEqual(
    expected.map(([kind, more]) => ({
      kind,
      subjectId: subjects[kind],
      since: expect.any(String) as string,
      ...more,
    })),
  );
  const since = items.map((item) => String(item["since"]));
  expect(since).toEqual(since.toSorted());
});

test.each<[OperatorRole, ProposalKind[]]>([
  ["viewer", []],
  ["onboarder", []],
  ["approver", ["REFUND_APPROVAL"]],
  [
    "operations",
    ["PAYMENT_OUTCOME", "CHARGEBACK_OUTCOME", "REFUND_OUTCOME", "DIFFERENCE", "SETTLEMENT_FILE"],
  ],
  [
    "admin",
    [
      "ACCOUNT_CHANGE",
      "ROUTES",
      "PAYMENT_OUTCOME",
      "CHARGEBACK_OUTCOME",
      "REFUND_OUTCOME",
      "DIFFERENCE",
      "SETTLEMENT_FILE",
    ],
  ],
])("%s gets what this role may decide, and nothing else", async (role, kinds) => {
  expect(await kindsIn("", [role])).toEqual(kinds);
});

test("a file that its sender may confirm waits for no second person", async () => {
  await insertFile(system.query, { senderConfirms: true });
  const files = pageOf(await list()).items.filter(({ kind }) => kind === "SETTLEMENT_FILE");
  expect(files.map(({ subjectId }) => subjectId)).toEqual([subjects.SETTLEMENT_FILE]);
});

test("its pages follow one another, and a file has all of them", async () => {
  const { items } = pageOf(await list());
  expect(await readAll(list, "limit=3")).toEqual(items);
  const { status, text } = await system.ask("operator", "proposals", { accept: "text/csv" });
  const [header, ...rows] = text.trimEnd().split("\r\n");
  expect(status).toBe(200);
  expect(header).toBe(
    "kind,subjectId,since,proposedBy,merchantId,accountId,accountName,amount,currency,livemode,merchantName",
  );
  expect(rows.at(-1)).toMatch(/^#rows,8,/);
});

test("what was made in test mode waits on the list of that mode", async () => {
  const testId = testIdOf(merchantId);
  await insertRefunds(system.query, { merchantId: testId, count: 5, order: "test" });
  await system.query(
    `insert into refunds.refund_approval (refund_id, approved_by, request_id)
     select refund_id, $2, 'a request' from refunds.refund where merchant_id = $1 and state = 'PENDING_APPROVAL'`,
    [testId, personAs("bora")],
  );
  expect(pageOf(await list("?livemode=false")).items).toMatchObject([
    { kind: "REFUND_APPROVAL", proposedBy: "bora", merchantId, merchantName: "Book Shop", livemode: false },
  ]);
  expect(await kindsIn("?livemode=true")).toHaveLength(8);
});

// This test ends most of the proposals.
test("what was decided, replaced or ended by itself meanwhile waits no more", async () => {
  const routes = { merchantId, version: 1 };
  const confirmed = await system.operate(operations.confirmMerchantRoutes.command, routes, "bora");
  expect(confirmed).toMatchObject({ outcome: "done" });
  await insertVersion(system.query, 3, { by: personAs("bora"), hours: 0 });
  await system.query(
    "update payments.payment set state = 'FAILED', recover_at = null where payment_id = $1",
    [subjects.PAYMENT_OUTCOME],
  );
  await system.query("update refunds.refund set state = 'FAILED', recover_at = null where refund_id = $1", [
    subjects.REFUND_OUTCOME,
  ]);
  await system.query(
    "update settlement.import set state = 'REFUSED', reason = 'refused', ended_at = now() where import_id = $1",
    [subjects.SETTLEMENT_FILE],
  );
  const { items } = pageOf(await list());
  expect(items.map(({ kind, proposedBy }) => [kind, proposedBy])).toEqual([
    ["CHARGEBACK_OUTCOME", "alice"],
    ["REFUND_APPROVAL", "alice"],
    ["DIFFERENCE", "alice"],
    ["ACCOUNT_CHANGE", "bora"],
  ]);
});
