import { randomBytes, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { operations, type CommandReply } from "@holdfast/contracts";
import { banks as playedBanks } from "@holdfast/sandbox/banks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAccount } from "../../services/payments/test/account-operators.ts";
import { ADAPTERS, BANK_PROTOCOLS, type AdapterName } from "../conformance/bank-protocols.ts";
import { eventually, startTestBank } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

/** Payments at each played bank, and the file that it writes about them from its own ledger. */
const directory = makeTestDirectory();

type Bank = { url: string; close(): Promise<void> };
/** The mapping that reads a bank's file. */
const mappingOf = (name: AdapterName) => (name === "sim" ? "generic" : playedBanks[name].mapping);

let system: SettlementHarness;
const banks: Bank[] = [];
beforeAll(async () => {
  system = await startSettlementHarness({
    envOf: {
      payments: { ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}` },
      settlement: { FEED_INTERVAL: "50ms", MATCH_INTERVAL: "50ms" },
    },
  });
});
afterAll(async () => {
  await system.close();
  for (const bank of banks) await bank.close();
});

function resultOf<Result>(reply: CommandReply<Result>): Result {
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
}

async function start(protocol: AdapterName): Promise<Bank> {
  if (protocol === "sim") return (await startTestBank(directory)).acquirer;
  return await BANK_PROTOCOLS[protocol].start(join(directory, `${protocol}.ndjson`));
}

async function routeTo(protocol: AdapterName, url: string) {
  const { settings, secrets } = BANK_PROTOCOLS[protocol];
  const account = { protocol, name: protocol, currencies: ["TRY"], settings: settings(url), secrets };
  const { accountId } = resultOf(await makeAccount(system, account as never, "alice"));
  resultOf(
    await system.operate(operations.confirmAcquirerAccount.command, { accountId, version: 1 }, "bora"),
  );
  const merchantId = randomUUID();
  resultOf(
    await system.operate(
      operations.putMerchantRoutes.command,
      { merchantId, routes: [{ accountId }] },
      "alice",
    ),
  );
  resultOf(
    await system.operate(operations.confirmMerchantRoutes.command, { merchantId, version: 1 }, "bora"),
  );
  return { accountId, merchantId };
}

/**
 * Makes a partial capture, a sale that is voided, a sale that is refunded whole on its day (a void at
 * Nestpay), and a sale that is refunded in part on the bank's next day.
 */
async function trade(
  protocol: AdapterName,
  merchantId: string,
  endDay: () => Promise<unknown>,
): Promise<void> {
  const as = { merchant: { merchantId } };
  const pay = async (
    how: typeof operations.pay.command | typeof operations.preAuthorize.command,
    amountMinor: string,
  ) => {
    const cardData = { pan: "4355084355084358", cvv: "000" };
    const command = system.command({ ofMerchant: merchantId, amountMinor, cardData });
    expect(await system.call(how, command, as)).toMatchObject({ result: { status: "SUCCESS" } });
    return command.paymentId;
  };
  const operationId = () => randomUUID();
  const captured = await pay(operations.preAuthorize.command, "10000");
  const capture = { paymentId: captured, operationId: operationId(), amount: "70.07", currency: "TRY" };
  expect(await system.call(operations.capture.command, capture, as)).toMatchObject({
    result: { status: "CAPTURED" },
  });
  const voided = await pay(operations.pay.command, "3333");
  expect(
    await system.call(operations.cancel.command, { paymentId: voided, operationId: operationId() }, as),
  ).toMatchObject({ result: { status: "CANCELLED" } });
  const refund = async (paymentId: string, amountMinor: string, standing: string) => {
    const request = { refundId: randomUUID(), paymentId, amountMinor, currency: "TRY" };
    resultOf(await system.call(operations.requestRefund.command, request, as));
    resultOf(await system.approve(request.refundId));
    await eventually(async () =>
      expect(await system.fact(request.refundId)).toMatchObject({ standing, amount_minor: amountMinor }),
    );
  };
  const sold = await pay(operations.pay.command, "1999");
  await refund(
    await pay(operations.pay.command, "4444"),
    "4444",
    protocol === "nestpay" ? "NOT_DONE" : "DONE",
  );
  await endDay();
  await refund(sold, "501", "DONE");
}

/** The files that the bank has written about the days that have ended. */
async function filesOf(protocol: string, url: string): Promise<string[]> {
  const text = async (path: string) => await (await fetch(`${url}${path}`)).text();
  const store = async (name: string, content: string | Uint8Array) => {
    const file = join(directory, `${protocol}-${name}`);
    await writeFile(file, content);
    return file;
  };
  if (protocol === "sim") return [await store("day.csv", await text("/settlement"))];
  const { settlements } = JSON.parse(await text("/settlements")) as { settlements: string[] };
  const files = [];
  for (const name of settlements) {
    const answer = await fetch(`${url}/settlements/${name}`);
    files.push(await store(name, await answer.bytes()));
  }
  return files;
}

async function take(file: string, accountId: string, mapping: string): Promise<void> {
  const taken = await system.bankFiles.run("import", file, "--mapping", mapping, "--account", accountId);
  expect(taken).toEqual({
    code: 0,
    output: expect.stringMatching(/ lines taken, 0 lines with faults\n$/) as string,
  });
}

test.each(ADAPTERS)("the file of a day at %s agrees with ours, to the kurus", async (protocol) => {
  const bank = await start(protocol);
  const mapping = mappingOf(protocol);
  banks.push(bank);
  const { accountId, merchantId } = await routeTo(protocol, bank.url);
  const endDay = async () => await fetch(`${bank.url}/business-day/close`, { method: "POST" });
  await trade(protocol, merchantId, endDay);
  await endDay();
  await eventually(async () =>
    expect(
      await system.query("select 1 from settlement.account where account_id = $1", [accountId]),
    ).toHaveLength(1),
  );
  const files = await filesOf(protocol, bank.url);
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) await take(file, accountId, mapping);
  await eventually(async () =>
    expect(
      await system.query(
        "select 1 from settlement.import where account_id = $1 and matched_at is null and state = 'TAKEN'",
        [accountId],
      ),
    ).toEqual([]),
  );
  expect(
    await system.query("select class, detail from settlement.difference where account_id = $1", [accountId]),
  ).toEqual([]);
  const lines = await system.query<{ verdict: string; sum: string }>(
    "select verdict, sum(gross_minor)::text from settlement.line where account_id = $1 group by 1",
    [accountId],
  );
  // 70.07 captured, 19.99 sold, 5.01 refunded; a voided operation is there with both signs, or not at all.
  expect(lines).toEqual([{ verdict: "MATCHED", sum: "8505" }]);
  const [ours] = await system.query<{ sum: string }>(
    `select sum(case kind when 'REFUND' then -amount_minor else amount_minor end)::text as sum
     from settlement.fact where account_id = $1 and (standing = 'DONE' or voids)`,
    [accountId],
  );
  expect(ours).toEqual({ sum: "8505" });
});
