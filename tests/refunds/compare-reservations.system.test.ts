import { execFile } from "node:child_process";
import { armFailpoints } from "@holdfast/service-runtime";
import { TcpProxy } from "../chaos/system/tcp-proxy.ts";
import { bareEnvironment } from "../support/bare-environment.ts";
import { eventually } from "../support/index.ts";
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import { FAST, startRefundsHarness, type RefundsHarness } from "./refunds-harness.ts";
import { holdfast } from "../support/holdfast.ts";

let refunds: RefundsHarness;

beforeAll(async () => {
  refunds = await startRefundsHarness({ env: FAST, running: ["payments"] });
});
afterEach(() => armFailpoints(undefined));
afterAll(() => refunds.close());

/** The command as people run it. @returns its exit code, and the lines about each refund. */
async function compare(...flags: string[]) {
  return await compareWith({}, ...flags);
}

async function compareWith(settings: Record<string, string>, ...flags: string[]) {
  const env = { ...bareEnvironment(), NODE_ENV: "test", ...refunds.environment("refunds"), ...settings };
  const [node = "", ...program] = await holdfast("compare-reservations", ...flags);
  const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(node, program, { env }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, output: stdout + stderr }),
    );
  });
  const lines = output.trim().split("\n");
  /** `kind: result` of one refund. */
  const of = (refundId: string) =>
    lines
      .filter((line) => line.includes(refundId))
      .map((line) => `${line.split(":")[0]}: ${line.split("; ").at(-1)}`)
      .join();
  return { code, output, of, last: lines.at(-1) };
}

const TABLES = ["refund", "refund_history", "refund_approval"] as const;

/** Backs up the schema `refunds`. */
async function backUp(): Promise<void> {
  await refunds.query("create schema backup");
  for (const table of TABLES) await refunds.query(`create table backup.${table} as table refunds.${table}`);
}

/** Restores only the schema `refunds`. */
async function restore(): Promise<void> {
  await refunds.query(
    "truncate refunds.outbox, refunds.refund_resolution, refunds.refund_approval, refunds.refund_history, refunds.refund",
  );
  for (const table of TABLES)
    await refunds.query(`insert into refunds.${table} select * from backup.${table}`);
}

const isDaysOld = (refundId: string) =>
  refunds.query(
    "update payments.refund_reservation set created_at = now() - interval '2 days' where refund_id = $1",
    [refundId],
  );

test("while both services are at work nothing differs", async () => {
  const service = await refunds.startRefunds();
  const paymentId = await refunds.pay("1000000");
  const work = { isOver: false };
  const atWork = Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      while (!work.isOver) {
        const refundId = await refunds.queue(paymentId, index === 0 ? "191" : "100");
        await (index === 1 ? refunds.reject(refundId) : refunds.approve(refundId));
      }
    }),
  );
  const { code, last } = await compare();
  work.isOver = true;
  await atWork;
  expect(last).toMatch(/^\d+ refunds and \d+ reservations compared, 0 differ$/);
  expect(code).toBe(0);
  await service.stop();
});

test("after refunds was restored to an earlier point each difference is named, and only what is certain is mended", async () => {
  const before = await refunds.startRefunds();
  const paymentId = await refunds.pay("1000000");
  const queue = () => refunds.queue(paymentId, "1000");
  const settled = async () => {
    const refundId = await queue();
    await refunds.approve(refundId);
    expect(await refunds.settled(refundId)).toBe("SUCCESS");
    return refundId;
  };
  const [waiting, decidedLater, paid, rejected] = [
    await queue(),
    await queue(),
    await settled(),
    await queue(),
  ];
  await refunds.reject(rejected);
  await backUp();

  await refunds.approve(decidedLater);
  // A busy machine may leave it to recovery; it has ended before another is stopped at the bank's answer.
  expect(await refunds.settled(decidedLater)).toBe("SUCCESS");
  const [lost, lostLately, lostAndPaid] = [await queue(), await queue(), await settled()];
  const lostWhilePaid = await queue();
  const hits = armFailpoints("refunds.after_outcome:hang@1");
  refunds.approve(lostWhilePaid).catch(() => {});
  await eventually(() => hits("refunds.after_outcome") > 0);
  await before.stop();
  armFailpoints(undefined);
  await restore();
  await isDaysOld(lost);
  await isDaysOld(lostWhilePaid);
  // payments was restored to a time before these two.
  await refunds.query(
    "update payments.refund_reservation set state = 'ACTIVE' where refund_id = any($1::uuid[])",
    [[paid, rejected]],
  );
  await refunds.query(
    `update payments.payment set reserved_minor = reserved_minor + 2000, refunded_minor = refunded_minor - 1000
     where payment_id = $1`,
    [paymentId],
  );
  const reservedBefore = (await refunds.amounts(paymentId)).reserved;

  const comparison = await compare();
  expect(comparison.code).toBe(1);
  expect(comparison.of(waiting)).toBe("");
  expect(comparison.of(decidedLater)).toContain("settled_before_decision: approve it");
  expect(comparison.of(paid)).toBe("success_not_settled: --mend mends it");
  expect(comparison.of(rejected)).toBe("end_not_released: --mend mends it");
  expect(comparison.of(lost)).toBe("reservation_without_refund: --mend mends it");
  expect(comparison.of(lostLately)).toBe("reservation_without_refund: it is too young");
  expect(comparison.of(lostAndPaid)).toContain(
    "settled_without_refund: the refund was paid and its record is lost",
  );
  expect(comparison.of(lostWhilePaid)).toContain("reservation_without_refund: the bank has paid it");
  expect(comparison.last).toContain("7 differ");
  expect((await refunds.amounts(paymentId)).reserved).toBe(reservedBefore);

  const mended = await compare("--mend");
  expect(mended.code).toBe(1);
  expect(mended.last).toContain("4 differ");
  expect(mended.of(paid)).toBe("success_not_settled: it is settled now");
  expect(mended.of(rejected)).toBe("end_not_released: it is released now");
  expect(mended.of(lost)).toBe("reservation_without_refund: it is released now");
  expect(mended.of(lostWhilePaid)).toContain("the bank has paid it");
  expect((await refunds.amounts(paymentId)).reserved).toBe(reservedBefore - 3_000);
  const audited = await refunds.query<{ subject: string; action: string }>(
    "select subject, action from refunds.audit_entry where actor = 'compare-reservations'",
  );
  expect(new Map(audited.map(({ subject, action }) => [subject, action]))).toEqual(
    new Map([
      [paid, "reservation.settled"],
      [rejected, "reservation.released"],
      [lost, "reservation.released"],
    ]),
  );

  // As the report advises, the refund decided in the lost time is approved again, and paid once.
  const after = await refunds.startRefunds();
  await refunds.approve(decidedLater);
  expect(await refunds.settled(decidedLater)).toBe("SUCCESS");
  expect(await refunds.ledger(decidedLater)).toEqual(["refund approved 1000"]);
  await after.stop();
});

test("a database that is late with its connections is waited for", async () => {
  const url = new URL(refunds.environment("refunds").DATABASE_URL);
  const link = await TcpProxy.start(Number(url.port));
  onTestFinished(() => link.close());
  // A connection takes several answers: longer than a service lets its callers wait.
  await link.set({ kind: "delay", ms: 300 });
  url.port = String(link.port);
  const { last } = await compareWith({ DATABASE_URL: url.href });
  expect(last).toContain(" compared, ");
});

test("where payments cannot be asked it says so, and that nothing was compared is no agreement", async () => {
  const alone = refunds;
  refunds = await startRefundsHarness({ running: [], refunds: { PAYMENTS_TIMEOUT: "200ms" } });
  const { code, output } = await compare();
  expect(output).not.toContain("compared");
  expect(code).toBe(1);
  await refunds.close();
  refunds = alone;
});
