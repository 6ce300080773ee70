import { randomUUID } from "node:crypto";
import type { OperatorRole } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importIdIn } from "../../services/settlement/test/settle-command.ts";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { personAs, eventually, TEST_ACCOUNT_ID } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
let port: number;
let importId: string;
beforeAll(async () => {
  system = await startSettlementHarness({
    services: ["payments", "refunds", "settlement", "gateway-operator"],
    running: ["payments", "refunds", "settlement"],
    envOf: { settlement: { MATCH_INTERVAL: "50ms", DIFFERENCE_TWO_PEOPLE_ABOVE: "TRY:100.00" } },
  });
  ({ port } = (await system.start("gateway-operator")) as unknown as { port: number });
  importId = await take(line(50_000n), line(10_000n), line(300n), "broken");
});
afterAll(() => system.close());

/** A line of an unknown payment. */
const line = (minor: bigint) => genericLine({ bank_reference: randomUUID(), gross: decimalText(minor) });

const take = async (...lines: string[]) => importIdIn((await system.bankFiles.take(...lines)).output);

type Item = { amount: number; differenceId: string; notes: { note: string }[] };
type Answer = { status: number; body: { items: Item[]; nextCursor?: string } };

/** A request of an operator, with every role where none is named. */
async function ask(
  method: "GET" | "POST",
  path: string,
  { name = "olga", roles, body }: { name?: string; roles?: OperatorRole[]; body?: object } = {},
): Promise<Answer> {
  const token = await system.identity.token({ claims: { sub: name, ...(roles && { roles }) } });
  const answer = await fetch(`http://127.0.0.1:${port}/operator/${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Answer["body"] };
}

/** The differences that are open, by their amounts. */
async function open(): Promise<Map<number, Item>> {
  const { body } = await ask("GET", "differences");
  return new Map(body.items.map((item) => [item.amount, item]));
}

test("a file is shown with what was not taken, why, and what the comparison says", async () => {
  await eventually(async () => {
    const { status, body } = await ask("GET", `settlements/${importId}`);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        importId,
        accountId: TEST_ACCOUNT_ID,
        mapping: "generic",
        mappingVersion: 1,
        state: "TAKEN",
        lines: 3,
        faults: 1,
        faultyLines: [{ line: 5, reason: "1 cell, not 12" }],
        verdicts: { MISSING_HERE: 3 },
        comparedAt: expect.any(String) as string,
      },
    });
  });
  const { body } = await ask("GET", "settlements?limit=1");
  expect(body.items).toMatchObject([{ importId }]);
  expect(await ask("GET", `settlements/${randomUUID()}`)).toMatchObject({
    status: 404,
    body: { code: "settlement_not_found" },
  });
});

test("differences are listed page by page, and narrowed by what the query names", async () => {
  await eventually(async () => expect((await open()).size).toBe(4));
  const first = await ask("GET", "differences?limit=2&class=MISSING_HERE");
  const second = await ask("GET", `differences?limit=2&class=MISSING_HERE&cursor=${first.body.nextCursor}`);
  expect([...first.body.items, ...second.body.items].map(({ amount }) => amount).toSorted()).toEqual(
    [100, 3, 500].toSorted(),
  );
  expect((await ask("GET", "differences?class=LATE")).body.items).toEqual([]);
  expect((await ask("GET", "differences?accountId=other")).body.items).toEqual([]);
  expect(await ask("GET", "differences?class=NONE")).toMatchObject({ status: 400 });
  expect(await ask("GET", "differences?cursor=x")).toMatchObject({ status: 400 });
});

test("a line of nothing of ours is shown with its file, its number and all that the bank says", async () => {
  const { differenceId } = (await open()).get(3)!;
  const { status, body } = await ask("GET", `differences/${differenceId}`);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      class: "MISSING_HERE",
      importId,
      line: 4,
      theirs: { amount: 3, currency: "TRY" },
      lines: [
        {
          importId,
          line: 4,
          reference: expect.any(String),
          bankReference: expect.any(String),
          transactedAt: "2026-03-10T12:00:00",
          settlesOn: "2026-03-11",
        },
      ],
    },
  });
  expect(body).toHaveProperty("fileName");
  expect(body).not.toHaveProperty("ours");
  expect(body).not.toHaveProperty("record");
  expect(await ask("GET", `differences/${randomUUID()}`)).toMatchObject({
    status: 404,
    body: { code: "difference_not_found" },
  });
});

test("one person closes a small difference with a reason, and the audit log has who and why", async () => {
  const { differenceId } = (await open()).get(100)!;
  const noted = await ask("POST", `differences/${differenceId}/notes`, {
    body: { note: "asked the bank", assignee: "bora" },
  });
  expect(noted).toMatchObject({
    status: 200,
    body: { state: "OPEN", assignee: "bora", notes: [{ actor: "olga", note: "asked the bank" }] },
  });
  expect(
    await ask("POST", `differences/${differenceId}/close`, {
      body: { decision: "NOT_OURS", reason: "a test of theirs" },
    }),
  ).toMatchObject({
    status: 200,
    body: { state: "CLOSED", closedBy: "olga", reason: "a test of theirs" },
  });
  for (const [what, body] of [
    ["close", { decision: "NOT_OURS", reason: "again" }],
    ["notes", { note: "again" }],
  ] as const)
    expect(await ask("POST", `differences/${differenceId}/${what}`, { body })).toMatchObject({
      status: 409,
      body: { code: "difference_ended" },
    });
  const entries = await system.query<{ actor: string; action: string }>(
    "select actor, action from settlement.audit_entry where subject = $1 order by sequence",
    [differenceId],
  );
  expect(entries).toEqual([
    { actor: "olga", action: "difference.noted" },
    { actor: "olga", action: "difference.closed" },
  ]);
});

test("of more notes than an answer holds the oldest are left out, and the others are shown in their order", async () => {
  const { differenceId } = (await open()).get(3)!;
  await system.query(
    `insert into settlement.difference_note (difference_id, at, actor, note)
     select $1, now() + n * interval '1 millisecond', 'olga', 'note ' || n from generate_series(1, 500) as n`,
    [differenceId],
  );
  const { notes } = (await open()).get(3)!;
  expect(notes.map(({ note }) => note)).toEqual(
    Array.from({ length: 400 }, (_, index) => `note ${index + 101}`),
  );
});

test("above the configured amount two different people close it", async () => {
  const { differenceId } = (await open()).get(500)!;
  const close = (name: string) =>
    ask("POST", `differences/${differenceId}/close`, {
      name,
      body: { decision: "NOT_OURS", reason: "the bank has paid it back" },
    });
  expect(await close("olga")).toMatchObject({ status: 200, body: { state: "PROPOSED", proposedBy: "olga" } });
  expect(await close("olga")).toMatchObject({ status: 403, body: { code: "same_person" } });
  const answers = await Promise.all([close("bora"), close("ece")]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const [row] = await system.query(
    "select state, proposed_by from settlement.difference where difference_id = $1",
    [differenceId],
  );
  expect(row).toEqual({ state: "CLOSED", proposed_by: personAs("olga") });
});

test("whoever may only look may not close, and a difference that is none is not found", async () => {
  const { differenceId } = (await open()).get(3)!;
  const body = { decision: "NOT_OURS", reason: "because" };
  expect(await ask("POST", `differences/${differenceId}/close`, { roles: ["viewer"], body })).toMatchObject({
    status: 403,
  });
  expect(await ask("POST", `differences/${differenceId}/close`, { body: {} })).toMatchObject({ status: 400 });
  expect(await ask("POST", `differences/${randomUUID()}/close`, { body })).toMatchObject({
    status: 404,
    body: { code: "difference_not_found" },
  });
});

test("of a payment the lines of banks' files are shown, its refunds' too, and the differences; of another none", async () => {
  const paymentId = await system.sell("10000");
  const refundId = await system.refund(paymentId, "4000");
  await eventually(async () => {
    expect(await system.fact(paymentId)).toBeDefined();
    expect(await system.fact(refundId)).toBeDefined();
  });
  const reported = (kind: string, reference: string, minor: bigint) =>
    genericLine({
      kind,
      reference,
      bank_reference: randomUUID(),
      auth_code: "",
      card: "411111******1111",
      gross: decimalText(minor),
      fee: "0.00",
      net: decimalText(minor),
      currency: "TRY",
      transacted_at: "2026-03-10T23:59:59",
      settles_on: "2026-03-11",
      payout_id: "",
    });
  const settlementOf = async (id: string) => (await ask("GET", `payments/${id}/settlement`)).body;
  // The account's terms: three days by the bank's clock.
  const [due] = await system.query<{ day: string }>(
    `select to_char((occurred_at at time zone 'Europe/Istanbul')::date + 3, 'YYYY-MM-DD') as day
     from settlement.fact where fact_id = $1`,
    [paymentId],
  );
  await eventually(async () =>
    expect(await settlementOf(paymentId)).toMatchObject({
      lines: [],
      awaited: [
        { movementId: paymentId, expectedBy: due!.day },
        { movementId: refundId, expectedBy: due!.day },
      ],
    }),
  );
  const file = await take(reported("SALE", paymentId, 9_000n), reported("REFUND", refundId, -4_000n));
  await eventually(async () => {
    const { status, body } = await ask("GET", `payments/${paymentId}/settlement`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      lines: [
        {
          importId: file,
          line: 2,
          movementId: paymentId,
          kind: "SALE",
          grossAmount: 90,
          // The bank's own clock and day, in any zone of this process.
          transactedAt: "2026-03-10T23:59:59",
          settlesOn: "2026-03-11",
          verdict: "AMOUNT_DIFFERS",
        },
        { importId: file, line: 3, movementId: refundId, kind: "REFUND", netAmount: -40 },
      ],
      awaited: [],
      more: false,
    });
    const { differences } = body as unknown as { differences: object[] };
    expect(differences).toContainEqual(
      expect.objectContaining({ class: "AMOUNT_DIFFERS", paymentId, state: "OPEN" }),
    );
  });
  const { body } = await ask("GET", "differences?class=AMOUNT_DIFFERS");
  const found = body.items.find((item) => "paymentId" in item && item.paymentId === paymentId)!;
  expect(await ask("GET", `differences/${found.differenceId}`)).toMatchObject({
    status: 200,
    body: {
      class: "AMOUNT_DIFFERS",
      amount: 10,
      ours: { amount: 100, currency: "TRY" },
      theirs: { amount: 90, currency: "TRY" },
      record: { movementId: paymentId, paymentId, kind: "SALE", standing: "DONE", amount: 100 },
      lines: [
        {
          importId: file,
          line: 2,
          reference: paymentId,
          pan: "411111******1111",
          grossAmount: 90,
          feeAmount: 0,
        },
      ],
    },
  });
  // The same amount is at stake, with another sum of the bank's.
  await take(reported("SALE", paymentId, 2_000n));
  await eventually(async () =>
    expect(await ask("GET", `differences/${found.differenceId}`)).toMatchObject({
      body: { state: "OPEN", amount: 10, theirs: { amount: 110, currency: "TRY" } },
    }),
  );
  expect(await ask("GET", `payments/${randomUUID()}/settlement`)).toMatchObject({
    status: 200,
    body: { lines: [], differences: [], awaited: [], more: false },
  });
  expect(await ask("GET", "payments/none/settlement")).toMatchObject({ status: 404 });
});
