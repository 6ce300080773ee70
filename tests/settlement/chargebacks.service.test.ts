import { createHash, randomUUID } from "node:crypto";
import { EVIDENCE_BYTES_MAX, operations, type OperatorRole } from "@holdfast/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { importIdIn } from "../../services/settlement/test/settle-command.ts";
import { decimalText, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually } from "../support/index.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/** Follows a line of a bank's file to the payment, and operators' decisions on the case, over HTTP. */
let system: SettlementHarness;
let port: number;
beforeAll(async () => {
  system = await startSettlementHarness({
    services: ["payments", "refunds", "settlement", "gateway-operator"],
    running: ["payments", "refunds", "settlement"],
    envOf: { settlement: { MATCH_INTERVAL: "50ms" } },
  });
  ({ port } = (await system.start("gateway-operator")) as unknown as { port: number });
});
afterAll(() => system.close());

function line(kind: string, reference: string, gross: bigint, bankReference: string = randomUUID()): string {
  return genericLine({ kind, reference, bank_reference: bankReference, gross: decimalText(gross) });
}

async function take(...lines: string[]): Promise<string> {
  const { output } = await system.bankFiles.take(...lines);
  const importId = importIdIn(output);
  await eventually(async () => {
    const rows = await system.query<{ due: number; matched: boolean }>(
      `select matched_at is not null as matched,
         (select count(*)::int from settlement.chargeback_report where tell_at is not null) as due
       from settlement.import where import_id = $1`,
      [importId],
    );
    expect(rows).toEqual([{ matched: true, due: 0 }]);
  });
  return importId;
}

const verdicts = async (importId: string) =>
  (
    await system.query<{ verdict: string }>(
      "select verdict from settlement.line where import_id = $1 order by line_no",
      [importId],
    )
  ).map(({ verdict }) => verdict);

type Case = { chargebackId: string; evidence: { evidenceId: string; sha256: string; fileName: string }[] };

async function ask(
  method: "GET" | "POST" | "PATCH",
  path: string,
  {
    roles,
    body,
    name = "olga",
    key,
  }: { roles?: OperatorRole[]; body?: object; name?: string; key?: string } = {},
) {
  const token = await system.identity.token({ claims: { sub: name, ...(roles && { roles }) } });
  const isForm = body instanceof FormData;
  const answer = await fetch(`http://127.0.0.1:${port}/operator/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body && !isForm && { "Content-Type": "application/json" }),
      ...(key !== undefined && { "Idempotency-Key": key }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  return answer;
}
const json = async (answer: Promise<Response>) => {
  const { status, body } = await answer.then(async (got) => ({
    status: got.status,
    body: (await got.json()) as Case & { items: Case[]; code?: string },
  }));
  return { status, body };
};
const casesOf = async (paymentId: string) =>
  (await json(ask("GET", `chargebacks?paymentId=${paymentId}`))).body.items;
const openBy = (paymentId: string, body: object, key?: string) =>
  json(ask("POST", `payments/${paymentId}/chargebacks`, { body, ...(key !== undefined && { key }) }));

function formOf(content: Uint8Array<ArrayBuffer>, name = "letter.pdf"): FormData {
  const form = new FormData();
  form.set("file", new Blob([content]), name);
  return form;
}

test("a line opens a case of its payment, once for all of its copies, and is once in the statement", async () => {
  const paymentId = await system.sell("10000");
  const chargeback = line("CHARGEBACK", paymentId, -4_000n);
  const first = await take(line("SALE", paymentId, 10_000n), chargeback, chargeback);
  expect(await verdicts(first)).toEqual(["MATCHED", "NOT_COMPARED", "DUPLICATE"]);
  // The bank writes it into the next day's file again.
  const second = await take(line("SALE", randomUUID(), 5n), chargeback.replace("2026-03-11", "2026-03-12"));
  expect(await verdicts(second)).toEqual(["MISSING_HERE", "DUPLICATE"]);
  expect(await casesOf(paymentId)).toMatchObject([
    { paymentId, amount: 40, countedAmount: 40, status: "OPEN", reported: true },
  ]);
  const reply = await system.call(operations.listStatements.command, {
    from: "2026-03-11",
    to: "2026-03-12",
    limit: 50,
  });
  expect(reply).toMatchObject({ result: { items: [{ day: "2026-03-11", chargebacksAmount: 40 }] } });
});

test("a line of a payment that nobody has is a difference, and no case", async () => {
  const importId = await take(line("SALE", randomUUID(), 77n), line("CHARGEBACK", randomUUID(), -4_321n));
  expect(await verdicts(importId)).toEqual(["MISSING_HERE", "MISSING_HERE"]);
  const { items } = (await (await ask("GET", "differences?class=MISSING_HERE")).json()) as {
    items: object[];
  };
  expect(items).toContainEqual(expect.objectContaining({ amount: 43.21, class: "MISSING_HERE" }));
});

test("a reversal gives back what its chargeback has taken", async () => {
  const paymentId = await system.sell("10000");
  await take(line("CHARGEBACK", paymentId, -4_000n));
  expect(await casesOf(paymentId)).toMatchObject([{ status: "OPEN", countedAmount: 40 }]);
  await take(line("CHARGEBACK_REVERSAL", paymentId, 4_000n));
  expect(await casesOf(paymentId)).toMatchObject([{ status: "WON", countedAmount: 0, reversedAmount: 40 }]);
});

test("a chargeback that comes again after it was given back is another case, and its copy is none", async () => {
  const paymentId = await system.sell("10000");
  const chargeback = line("CHARGEBACK", paymentId, -10_000n);
  const again = chargeback.replace("2026-03-11", "2026-03-31");
  await take(line("SALE", paymentId, 10_000n), chargeback);
  await take(line("CHARGEBACK_REVERSAL", paymentId, 10_000n).replace("2026-03-11", "2026-03-20"));
  // Arbitration: all that the bank's two lines differ in is their settlement.
  expect(await verdicts(await take(again))).toEqual(["NOT_COMPARED"]);
  expect(await verdicts(await take(again, chargeback))).toEqual(["DUPLICATE", "DUPLICATE"]);
  expect(await casesOf(paymentId)).toMatchObject([
    { status: "OPEN", countedAmount: 100 },
    { status: "WON", countedAmount: 0 },
  ]);
  const days = { from: "2026-03-31", to: "2026-03-31", limit: 50 };
  expect(await system.call(operations.listStatements.command, days)).toMatchObject({
    result: { items: [{ chargebacksAmount: 100 }] },
  });
});

describe("a refund that was not made here", () => {
  const refundable = async (paymentId: string) => {
    const reply = await system.call(operations.getPayment.command, { paymentId });
    if (reply.outcome !== "done") throw new Error("not read");
    const { refundableAmount, chargedBackAmount, refundedAmount } = reply.result;
    return { refundableAmount, chargedBackAmount, refundedAmount };
  };
  const decide = (chargebackId: string, outcome: string) =>
    json(ask("POST", `chargebacks/${chargebackId}/outcome`, { body: { outcome, reason: "asked the bank" } }));

  test("counts against the payment that its line names, until people say that it was none of it", async () => {
    const paymentId = await system.sell("10000");
    const refund = line("REFUND", paymentId, -3_000n);
    expect(await verdicts(await take(line("SALE", paymentId, 10_000n), refund))).toEqual([
      "MATCHED",
      "MISSING_HERE",
    ]);
    expect(await verdicts(await take(refund, line("SALE", randomUUID(), 6n)))).toEqual([
      "DUPLICATE",
      "MISSING_HERE",
    ]);
    const [found, ...others] = await casesOf(paymentId);
    expect(found).toMatchObject({
      kind: "REFUND",
      amount: 30,
      countedAmount: 30,
      status: "OPEN",
      reported: true,
    });
    expect(others).toEqual([]);
    expect(await refundable(paymentId)).toMatchObject({ refundableAmount: 70, chargedBackAmount: 30 });
    // The bank gives back a chargeback, but not this one.
    await take(line("CHARGEBACK_REVERSAL", paymentId, 3_000n));
    expect(await casesOf(paymentId)).toMatchObject([{ status: "OPEN" }]);
    expect((await decide(found!.chargebackId, "WITHDRAWN")).body).toMatchObject({ countedAmount: 0 });
    expect(await refundable(paymentId)).toEqual({});
  });

  test("counts against the payment that its line names by the bank's name alone, once for all copies", async () => {
    const paymentId = await system.sell("10000");
    await eventually(async () => expect(await system.fact(paymentId)).toMatchObject({ standing: "DONE" }));
    const [row] = await system.query<{ name: string }>(
      "select external_transaction_id as name from settlement.fact where fact_id = $1",
      [paymentId],
    );
    const panel = line("REFUND", "merchant-panel", -3_000n, row!.name);
    await take(line("SALE", paymentId, 10_000n), panel, panel);
    expect(await casesOf(paymentId)).toMatchObject([
      { kind: "REFUND", amount: 30, status: "OPEN" },
      { kind: "REFUND", amount: 30, status: "OPEN" },
    ]);
    expect(await refundable(paymentId)).toMatchObject({ refundableAmount: 40, chargedBackAmount: 60 });
    await take(panel, line("SALE", randomUUID(), 7n));
    expect(await casesOf(paymentId)).toHaveLength(2);
  });

  test("without a name counts once for a line of two files, and twice for two lines of one", async () => {
    const paymentId = await system.sell("10000");
    const panel = line("REFUND", paymentId, -3_000n, "");
    expect(await verdicts(await take(line("SALE", paymentId, 10_000n), panel, panel))).toEqual([
      "MATCHED",
      "MISSING_HERE",
      "MISSING_HERE",
    ]);
    expect(await verdicts(await take(panel, line("SALE", randomUUID(), 8n)))).toEqual([
      "DUPLICATE",
      "MISSING_HERE",
    ]);
    expect(await casesOf(paymentId)).toHaveLength(2);
    expect(await refundable(paymentId)).toMatchObject({ refundableAmount: 40, chargedBackAmount: 60 });
  });

  test("is no line that gives the merchant money", async () => {
    const paymentId = await system.sell("10000");
    await take(line("SALE", paymentId, 10_000n), line("REFUND", paymentId, 3_000n));
    expect(await casesOf(paymentId)).toEqual([]);
    expect(await refundable(paymentId)).toEqual({});
  });

  test("is one that failed here, too, and not one of ours that was paid", async () => {
    const paymentId = await system.sell("10000");
    const [failed, paid] = [await system.request(paymentId, "2000"), await system.refund(paymentId, "1000")];
    await system.operate(
      operations.rejectRefund.command,
      { refundId: failed, reason: "not this one" },
      "bora",
    );
    await eventually(async () => expect(await system.fact(paid)).toMatchObject({ standing: "DONE" }));
    await eventually(async () => {
      const rows = await system.query(
        "select from refunds.refund where refund_id = $1 and state = 'REJECTED'",
        [failed],
      );
      return rows.length === 1;
    });
    const lines = [line("REFUND", failed, -2_000n), line("REFUND", paid, -1_000n)];
    expect(await verdicts(await take(...lines))).toEqual(["STATUS_DIFFERS", "MATCHED"]);
    expect(await casesOf(paymentId)).toMatchObject([{ kind: "REFUND", amount: 20, status: "OPEN" }]);
    expect(await refundable(paymentId)).toEqual({
      refundableAmount: 70,
      chargedBackAmount: 20,
      refundedAmount: 10,
    });
  });
});

test("what payments could not be told while it was away it is told when it is back", async () => {
  const paymentId = await system.sell("10000");
  await take(line("SALE", paymentId, 10_000n));
  await system.query("update settlement.chargeback_report set tell_at = now() where payment_id <> $1", [
    paymentId,
  ]);
  await eventually(async () =>
    expect(await system.query("select from settlement.chargeback_report where tell_at is not null")).toEqual(
      [],
    ),
  );
  // Each was reported twice, and counted once.
  const rows = await system.query(
    `select payment_id from payments.payment join payments.chargeback using (payment_id)
     group by payment_id, charged_back_minor having charged_back_minor <> sum(counted_minor)`,
  );
  expect(rows).toEqual([]);
});

test("people open a case, say what the bank says, and how it ended", async () => {
  const paymentId = await system.sell("10000");
  const body = { amount: 25.5, currency: "TRY", reasonCode: "10.4", respondBy: "2026-12-01T00:00:00Z" };
  const key = randomUUID();
  const opened = await openBy(paymentId, body, key);
  expect(opened).toMatchObject({
    status: 201,
    body: { paymentId, amount: 25.5, reasonCode: "10.4", openedBy: "olga" },
  });
  const { chargebackId } = opened.body;
  expect((await openBy(paymentId, body, key)).body.chargebackId).toBe(chargebackId);
  expect(await openBy(paymentId, body)).toMatchObject({ status: 409, body: { code: "chargeback_exists" } });
  expect(await openBy(paymentId, { amount: 1.234, currency: "TRY" })).toMatchObject({ status: 400 });
  expect(
    await json(ask("PATCH", `chargebacks/${chargebackId}`, { body: { bankReference: "cb-1" } })),
  ).toMatchObject({ status: 200, body: { bankReference: "cb-1", reasonCode: "10.4" } });
  const outcome = { body: { outcome: "LOST", reason: "the bank has decided" } };
  expect(
    await json(ask("POST", `chargebacks/${chargebackId}/outcome`, { ...outcome, roles: ["viewer"] })),
  ).toMatchObject({ status: 403 });
  expect(await json(ask("POST", `chargebacks/${chargebackId}/outcome`, outcome))).toMatchObject({
    status: 200,
    body: { status: "LOST", countedAmount: 25.5 },
  });
  expect(await json(ask("GET", `chargebacks/${randomUUID()}`))).toMatchObject({
    status: 404,
    body: { code: "chargeback_not_found" },
  });
  const { body: page } = await json(ask("GET", "chargebacks?status=LOST&limit=1"));
  expect(page).toMatchObject({ items: [{ chargebackId }] });
});

test("evidence is kept with its hash, and comes back byte for byte as a file to whoever works on it", async () => {
  const { chargebackId } = (await openBy(await system.sell("10000"), { amount: 1, currency: "TRY" })).body;
  const content = new Uint8Array(700_000).map((_, index) => index % 251);
  const added = await json(
    ask("POST", `chargebacks/${chargebackId}/evidence`, {
      body: formOf(content, "fiş (1).html"),
      key: randomUUID(),
    }),
  );
  const sha256 = createHash("sha256").update(content).digest("hex");
  expect(added).toMatchObject({
    status: 201,
    body: { evidence: [{ fileName: "fiş (1).html", bytes: 700_000, sha256, addedBy: "olga" }] },
  });
  const { evidenceId } = added.body.evidence[0]!;
  const download = (role: OperatorRole) =>
    ask("GET", `chargebacks/${chargebackId}/evidence/${evidenceId}`, { roles: [role] });
  // A letter may have a whole card number.
  for (const role of ["viewer", "approver", "onboarder"] as const)
    expect(await json(download(role))).toMatchObject({ status: 403, body: { code: "forbidden" } });
  const answer = await download("operations");
  expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(content))).toBe(true);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "application/octet-stream",
    "content-disposition": "attachment; filename*=UTF-8''fi%C5%9F%20%281%29.html",
    "x-content-type-options": "nosniff",
  });
  expect(await json(ask("GET", `chargebacks/${chargebackId}/evidence/${randomUUID()}`))).toMatchObject({
    status: 404,
  });
});

test("a file that is too large, empty, or none is not kept", async () => {
  const { chargebackId } = (await openBy(await system.sell("10000"), { amount: 1, currency: "TRY" })).body;
  const send = (body: object) => json(ask("POST", `chargebacks/${chargebackId}/evidence`, { body }));
  expect(await send(formOf(new Uint8Array(EVIDENCE_BYTES_MAX + 1)))).toMatchObject({ status: 413 });
  expect(await send(formOf(new Uint8Array(0)))).toMatchObject({ status: 400 });
  expect(await send({})).toMatchObject({ status: 415 });
  expect((await json(ask("GET", `chargebacks/${chargebackId}`))).body.evidence).toEqual([]);
  expect(await send(formOf(new Uint8Array(EVIDENCE_BYTES_MAX)))).toMatchObject({ status: 201 });
});

test("a file that is sent again under its name is kept once", async () => {
  const { chargebackId } = (await openBy(await system.sell("10000"), { amount: 1, currency: "TRY" })).body;
  const send = async (content: Uint8Array<ArrayBuffer>, name?: string) =>
    (await json(ask("POST", `chargebacks/${chargebackId}/evidence`, { body: formOf(content, name) }))).body;
  await send(new Uint8Array(5));
  expect((await send(new Uint8Array(5))).evidence).toHaveLength(1);
  expect((await send(new Uint8Array(5), "copy.pdf")).evidence).toHaveLength(2);
  expect((await send(new Uint8Array(6))).evidence).toHaveLength(3);
});
