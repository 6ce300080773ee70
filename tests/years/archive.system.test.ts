import { spawnSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { appendFile, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations } from "@holdfast/contracts";
import { startTestSystem, type TestSystem, TEST_ACCOUNT_ID } from "../support/index.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTestDirectory } from "../support/test-directory.ts";
import { fillYears } from "./fill-years.ts";
import { verifyAudit } from "../../packages/audit/src/verify-audit-command.ts";
import { archive } from "../../tools/installation/src/archive/archive-command.ts";
import { ARCHIVED, KEPT_WITH_THEIR_PAYMENTS } from "../../tools/installation/src/archive/archived-tables.ts";
import { erase } from "../../tools/installation/src/erasure/erase-command.ts";
import { retentionPolicy as ofPayments } from "../../services/payments/src/retention/retention-policy.ts";
import { retentionPolicy as ofRefunds } from "../../services/refunds/src/retention-policy.ts";
import { holdfast } from "../support/holdfast.ts";

let system: TestSystem;
const out = makeTestDirectory();
beforeAll(async () => {
  system = await startTestSystem({ services: ["payments", "refunds"], running: [] });
  await fillYears(system.database.superuserUrl, {
    payments: 12_000,
    days: 800,
    merchantIds: [system.merchantId],
  });
  // The filled entries are no chain.
  for (const schema of ["gateway", "payments", "refunds", "settlement", "webhooks"])
    await system.query(`truncate ${schema}.audit_entry`);
  // Payments that were charged back are never archived: each month would keep some.
  await system.query("truncate payments.chargeback cascade");
});
afterAll(async () => {
  await system.close();
  await rm(out, { recursive: true, force: true });
});

/** A month as `2025-01`, so many months ago. */
function monthsAgo(count: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count)).toISOString().slice(0, 7);
}

async function run(...args: string[]): Promise<{ code: number; text: string }> {
  let text = "";
  const where = ["--out", out, "--database-url", system.database.superuserUrl];
  const code = await archive(
    [...args, ...where],
    { ALLOW_PLAINTEXT: "postgres" },
    (written) => void (text += written),
  );
  return { code, text };
}

async function eraseHere(customer: string, ...more: string[]): Promise<{ code: number; text: string }> {
  let text = "";
  const who = ["--customer", customer, "--merchant", system.merchantId];
  const where = ["--database-url", system.database.superuserUrl];
  const code = await erase(
    [...who, ...more, ...where],
    { ALLOW_PLAINTEXT: "postgres" },
    (written) => void (text += written),
  );
  return { code, text };
}

/** Runs the command as a process of its own, which dies at the failpoint. */
async function runKilledAt(failpoint: string, ...args: string[]): Promise<string | null> {
  const [node = "", ...program] = await holdfast("archive", ...args);
  const where = ["--out", out, "--database-url", system.database.superuserUrl];
  return spawnSync(node, [...program, ...where], {
    env: { ...process.env, ALLOW_PLAINTEXT: "postgres", FAILPOINTS: `${failpoint}:kill` },
  }).signal;
}

/** The rows of every table that is archived as JSON: of these payments and refunds, or all of them. */
async function books(ids?: readonly string[]): Promise<Record<string, string[]>> {
  const entries = ARCHIVED.map(async ({ schema, name, of }) => {
    const rows = await system.query<{ row: string }>(
      `select to_jsonb(each)::text as row from ${schema}.${name} as each
       where $1::uuid[] is null or ${of} = any($1::uuid[])`,
      [ids],
    );
    return [`${schema}.${name}`, rows.map(({ row }) => row).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const countOf = async (month: string): Promise<number> => (await idsOf(month)).length;
async function idsOf(month: string): Promise<string[]> {
  const rows = await system.query<{ id: string }>(
    `select payment_id as id from payments.payment where created_at at time zone 'UTC' >= $1::date
       and created_at at time zone 'UTC' < $1::date + interval '1 month' order by created_at`,
    [`${month}-01`],
  );
  return rows.map(({ id }) => id);
}

async function openDifference(paymentId: string): Promise<void> {
  await system.query(
    `insert into settlement.fact (fact_id, account_id, merchant_id, kind, standing, amount_minor, currency, occurred_at, version,
       order_id, masked_pan) values ($1, '${TEST_ACCOUNT_ID}', $2, 'SALE', 'DONE', 1, 'TRY', now(), 1, 'o', '411111******1111')
     on conflict do nothing`,
    [paymentId, system.merchantId],
  );
  await system.query(
    `insert into settlement.difference (account_id, class, fact_id, amount_minor, currency, detail)
     values ('${TEST_ACCOUNT_ID}', 'AMOUNT_DIFFERS', $1, 1, 'TRY', 'planted')`,
    [paymentId],
  );
}

test("a month leaves with all that belongs to it, and comes back to the last character; look-ups and the audit logs agree", async () => {
  const month = monthsAgo(12);
  const ids = await idsOf(month);
  expect(ids.length).toBeGreaterThan(300);
  const refunds = await system.query<{ id: string }>(
    "select refund_id as id from refunds.refund where payment_id = any($1)",
    [ids],
  );
  const all = [...ids, ...refunds.map(({ id }) => id)];
  const before = await books(all);
  const others = (await books())["payments.payment"]!.length - ids.length;
  const payments = await system.start("payments");
  const look = () => system.call(operations.getPayment.command, { paymentId: ids[0]! });
  const seen = await look();
  expect(seen).toMatchObject({ outcome: "done", result: { paymentId: ids[0] } });

  expect(await run("--month", month)).toMatchObject({ code: 0 });
  expect(await countOf(month)).toBe(0);
  for (const [table, rows] of Object.entries(await books(all))) {
    expect(before[table], table).not.toEqual([]);
    expect(rows, table).toEqual([]);
  }
  expect((await books())["payments.payment"]).toHaveLength(others);
  expect(await look()).toMatchObject({ outcome: "problem", code: "payment_not_found" });

  expect(await run("--month", month, "--attach")).toMatchObject({ code: 0 });
  expect(await books(all)).toEqual(before);
  expect(await look()).toEqual(seen);
  await payments.stop();
  const audits = await system.query<{ action: string; payments: number }>(
    `select action, sum((detail::jsonb ->> 'payments')::int)::int as payments from payments.audit_entry
     where subject = $1 group by action order by action`,
    [month],
  );
  expect(audits).toEqual([
    { action: "payments.archive_written", payments: ids.length },
    { action: "payments.archived", payments: ids.length },
    { action: "payments.attached", payments: ids.length },
  ]);
});

test("what has not ended stays, with its reason", async () => {
  const month = monthsAgo(10);
  const ids = await idsOf(month);
  const [unsettled, watched, reserved, differs, lately, pending] = ids as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  await system.query("update payments.payment set recover_at = now() where payment_id = $1", [unsettled]);
  await system.query(
    "insert into payments.payment_watch (payment_id, due_at) values ($1, now()) on conflict (payment_id, movement_id) do update set ended_at = null",
    [watched],
  );
  await system.query(
    `insert into payments.refund_reservation (refund_id, payment_id, amount_minor, state) values ($1, $2, 1, 'ACTIVE')`,
    [randomUUID(), reserved],
  );
  await openDifference(differs);
  await system.query("update payments.payment set updated_at = now() where payment_id = $1", [lately]);
  await system.query(
    `with told as (
       insert into webhooks.event (occurred_at, event_id, source, event_type, merchant_id, payment_id, status, body)
       values (now(), uuidv7(), 'payments', 'payment.status_changed', $2, $1, 'SUCCESS', '') returning *),
     at as (
       insert into webhooks.endpoint (endpoint_id, merchant_id, url, secret, secret_request_id) values ($2, $2, 'https://shop.example/', decode(repeat('01', 64), 'hex'), '')
       returning merchant_id)
     insert into webhooks.delivery (event_id, occurred_at, endpoint_id, due_at, deadline_at)
     select event_id, occurred_at, at.merchant_id, now(), now() from told, at`,
    [pending, system.merchantId],
  );

  const { code, text } = await run("--month", month);
  expect({ code, text }).toMatchObject({ code: 0 });
  for (const why of [
    "the payment has not ended",
    "an inquiry at the bank is still due",
    "an amount is reserved for a refund",
    "a difference is open",
    "a webhook is not delivered",
  ])
    expect(text).toContain(why);
  expect(await idsOf(month)).toEqual(ids.slice(0, 6));
  const manifest = await readFile(join(out, month, "payments.payment.csv"), "utf8");
  for (const id of ids.slice(0, 6)) expect(manifest).not.toContain(id);
});

test("what changes after it was written is not removed", async () => {
  const month = monthsAgo(14);
  expect(await run("--month", month, "--keep")).toMatchObject({ code: 0 });
  const ids = await idsOf(month);
  expect(ids.length).toBeGreaterThan(300);
  await system.query("update payments.payment set result_message = 'changed' where payment_id = $1", [
    ids[7],
  ]);
  // No row of this payment changes.
  await openDifference(ids[8]!);
  const { code, text } = await run("--month", month);
  expect({ code, text }).toEqual({
    code: 1,
    text: expect.stringContaining("2 payments differ between the archive and the database"),
  });
  expect(await idsOf(month)).toEqual([ids[7], ids[8]]);
});

test("a file that is not what was written removes nothing and brings nothing back", async () => {
  const month = monthsAgo(16);
  expect(await run("--month", month, "--keep")).toMatchObject({ code: 0 });
  const before = await books();
  await appendFile(join(out, month, "payments.payment_history.csv"), "x");
  await expect(run("--month", month)).rejects.toThrow("not what was archived");
  await expect(run("--month", month, "--attach")).rejects.toThrow("not what was archived");
  expect(await books()).toEqual(before);
});

test("a manifest that was not written here is refused, and no text of it becomes SQL", async () => {
  const month = monthsAgo(22);
  expect(await run("--month", month, "--keep")).toMatchObject({ code: 0 });
  const before = await books();
  const path = join(out, month, "manifest.json");
  const written = await readFile(path, "utf8");
  const expression = "uuid, set_config(role, none, false)";
  await writeFile(path, written.replace('"type": "uuid"', `"type": "${expression}"`));
  for (const more of [[], ["--attach"]])
    await expect(run("--month", month, ...more)).rejects.toThrow("not the last one that the audit log has");

  // A manifest that the audit log confirms, as somebody with access to both could arrange it.
  const sha256 = createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
  await system.query(
    "update payments.audit_entry set detail = jsonb_build_object('manifest', $1::text, 'payments', 0)::text where action = 'payments.archive_written' and subject = $2",
    [sha256, month],
  );
  for (const more of [[], ["--attach"]])
    await expect(run("--month", month, ...more)).rejects.toThrow(
      `has no column "payment_id" of type "${expression}"`,
    );
  expect(await books()).toEqual(before);
  await system.query(
    "delete from payments.audit_entry where action = 'payments.archive_written' and subject = $1",
    [month],
  );
});

test("an archive of before an erasure does not come back in place of the one after it", async () => {
  const month = monthsAgo(23);
  expect(await run("--month", month, "--keep")).toMatchObject({ code: 0 });
  await rename(join(out, month), join(out, "earlier"));
  expect(await run("--month", month)).toMatchObject({ code: 0 });
  await rename(join(out, month), join(out, "later"));
  await rename(join(out, "earlier"), join(out, month));
  await expect(run("--month", month, "--attach")).rejects.toThrow("not the last one");
  await rm(join(out, month), { recursive: true });
  await rename(join(out, "later"), join(out, month));
  expect(await run("--month", month, "--attach")).toMatchObject({ code: 0 });
});

test("a kill between two steps loses nothing, and the next run goes on", async () => {
  const month = monthsAgo(18);
  const before = await books();
  const count = await countOf(month);
  expect(await runKilledAt("installation.after_archive_files", "--month", month)).toBe("SIGKILL");
  expect(await books()).toEqual(before);
  expect(await runKilledAt("installation.after_archive_batch", "--month", month)).toBe("SIGKILL");
  const left = await countOf(month);
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(count);
  expect(await run("--month", month)).toMatchObject({
    code: 0,
    text: expect.stringContaining(`${left} payments removed`),
  });
  expect(await countOf(month)).toBe(0);

  expect(await runKilledAt("installation.after_archive_batch", "--month", month, "--attach")).toBe("SIGKILL");
  expect(await countOf(month)).toBe(count - left);
  expect(await run("--month", month, "--attach")).toMatchObject({ code: 0 });
  expect(await books()).toEqual(before);
  expect((await readdir(out)).filter((name) => name.endsWith(".partial"))).toEqual([]);
});

test("an erasure tells of archived months, and nothing of the person is left once they came back and left again", async () => {
  const month = monthsAgo(20);
  const customer = "customer-77";
  const named = await system.query<{ id: string }>(
    `update payments.payment set customer_id = $1, card_holder_name = 'Zekiye Unutulmaz' where payment_id = any($2) returning payment_id as id`,
    [customer, (await idsOf(month)).slice(0, 3)],
  );
  await system.query(
    "update payments.payment set customer_id = 'another' where customer_id = $1 and payment_id <> all($2)",
    [customer, named.map(({ id }) => id)],
  );
  await system.query("update refunds.refund set customer_id = 'another' where customer_id = $1", [customer]);
  const inFiles = async () =>
    (await readFile(join(out, month, "payments.payment.csv"), "utf8")).includes("Unutulmaz");
  expect(await run("--month", month)).toMatchObject({ code: 0 });
  expect(await inFiles()).toBe(true);

  const unread = await eraseHere(customer);
  expect(unread.code).toBe(1);
  expect(unread.text).toContain(`were not looked through: ${month}`);
  const found = await eraseHere(customer, "--archive", out);
  expect(found.code).toBe(1);
  expect(found.text).toContain(`have payments of this customer: ${month}`);
  expect(await eraseHere("customer-nobody", "--archive", out)).toMatchObject({ code: 0 });

  expect(await run("--month", month, "--attach")).toMatchObject({ code: 0 });
  const erased = await eraseHere(customer, "--archive", out);
  expect(erased).toMatchObject({ code: 0, text: expect.stringContaining("3 payments") });
  await rm(join(out, month), { recursive: true });
  expect(await run("--month", month)).toMatchObject({ code: 0 });
  expect(await inFiles()).toBe(false);
  expect(await eraseHere(customer, "--archive", out)).toMatchObject({ code: 0 });
});

test("every table whose rows are kept with a payment or a refund is archived with it", () => {
  // A checkout's row ends by its retention long before, and the events and keys of a payment do.
  const belonging = Object.entries({ payments: ofPayments, refunds: ofRefunds }).flatMap(([schema, lines]) =>
    lines
      .filter(
        ({ kept }) =>
          typeof kept === "object" &&
          ("years" in kept || ("with" in kept && /^(payment|refund)$/.test(kept.with))),
      )
      .map(({ table }) => `${schema}.${table}`),
  );
  const archived = ARCHIVED.map(({ schema, name }) => `${schema}.${name}`);
  expect([...new Set([...belonging, "payments.three_ds_session"])].toSorted()).toEqual(
    [...archived, ...KEPT_WITH_THEIR_PAYMENTS].toSorted(),
  );
});

test("the audit logs are whole after all of it", async () => {
  let text = "";
  const code = await verifyAudit(
    ["--database-url", system.database.superuserUrl],
    { ALLOW_PLAINTEXT: "postgres" },
    (line) => void (text += line),
  );
  expect({ code, text }).toMatchObject({ code: 0 });
});

test.each([
  [["--month", "2025-13"], "--month must be like 2025-01"],
  [["--month", new Date().toISOString().slice(0, 7)], "half a year after its end"],
  [["--month", "2025-01", "--keep", "--attach"], "exclude each other"],
])("%j is refused", async (args, why) => {
  await expect(run(...args)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining(why),
  });
});
