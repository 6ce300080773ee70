import { randomBytes, randomUUID } from "node:crypto";
import { operations, type AcquirerAccount, type CommandReply } from "@holdfast/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeAccount } from "../../services/payments/test/account-operators.ts";
import { decimalText, genericFile, genericLine } from "../../services/settlement/test/written-file.ts";
import { eventually, startTestBank, type TestBank, TEST_ACCOUNT_ID } from "../support/index.ts";
import { makeTestDirectory } from "../support/test-directory.ts";
import { startSettlementHarness, type SettlementHarness } from "./settlement-harness.ts";

let system: SettlementHarness;
let bank: TestBank;
const directory = makeTestDirectory();
beforeAll(async () => {
  bank = await startTestBank(directory);
  system = await startSettlementHarness({
    withBusUsers: true,
    envOf: {
      payments: { ACCOUNT_SECRET_KEYS: `a1:${randomBytes(32).toString("base64")}`, ACCOUNT_REFRESH: "50ms" },
      settlement: { FEED_INTERVAL: "50ms", MATCH_INTERVAL: "50ms" },
    },
  });
});
afterAll(async () => {
  await system.close();
  await bank.acquirer.close();
});

function resultOf<Result>(reply: CommandReply<Result>): Result {
  if (!("result" in reply)) throw new Error(JSON.stringify(reply));
  return reply.result;
}

async function propose(): Promise<string> {
  const account = {
    protocol: "sim",
    name: `bank ${randomUUID()}`,
    currencies: ["TRY"],
    settings: { url: bank.acquirer.url },
    secrets: {},
    businessDay: { timeZone: "Europe/Berlin", cutOff: "23:00" },
    default: true,
  };
  const made: AcquirerAccount = resultOf(await makeAccount(system, account, "alice"));
  return made.accountId;
}

const confirm = async (accountId: string, version: number) =>
  resultOf(await system.operate(operations.confirmAcquirerAccount.command, { accountId, version }, "bora"));

const zoneOf = async (accountId: string) =>
  (await system.query("select time_zone from settlement.account where account_id = $1", [accountId]))[0];

/**
 * Imports a file with a line for each of these. @returns the command's output, and the lines' verdicts once
 * compared.
 */
async function take(account: string, ...movements: [kind: string, reference: string, minor: bigint][]) {
  const today = new Date().toISOString();
  const lines = movements.map(([kind, reference, minor]) =>
    genericLine({
      kind,
      reference,
      bank_reference: `b-${reference}`,
      card: "411111******1111",
      gross: decimalText(minor),
      transacted_at: today.slice(0, 19),
      settles_on: today.slice(0, 10),
      payout_id: "p",
    }),
  );
  const { write, run } = system.bankFiles;
  const file = await write(genericFile(...lines));
  const { code, output } = await run("import", file, "--mapping", "generic", "--account", account);
  const verdicts = async () =>
    await system.query<{ verdict: string | null }>(
      "select verdict from settlement.line where import_id = $1 order by line_no",
      [/import (\S+):/.exec(output)?.[1]],
    );
  return { code, output, verdicts };
}

test("a fact has the account that its payment was sent to, and a refund that of its payment", async () => {
  const before = await system.sell("1000");
  await eventually(async () =>
    expect(await system.fact(before)).toMatchObject({ account_id: TEST_ACCOUNT_ID }),
  );
  const accountId = await propose();
  // A first version that waits has sent nothing anywhere.
  await eventually(async () => expect(await zoneOf(TEST_ACCOUNT_ID)).toBeDefined());
  expect((await take(accountId)).output).toContain("unknown_account");
  await confirm(accountId, 1);
  await eventually(async () => expect(await zoneOf(accountId)).toEqual({ time_zone: "Europe/Berlin" }));
  let sale = "";
  await eventually(async () => {
    sale = await system.sell("2500");
    expect((await bank.wholeLedger()).some(({ reference }) => reference.startsWith(sale))).toBe(true);
  });
  const refund = await system.refund(sale, "500");
  const authorized = await system.authorize("700");
  for (const id of [sale, refund, authorized])
    await eventually(async () => expect(await system.fact(id)).toMatchObject({ account_id: accountId }));
  expect(await system.fact(before)).toMatchObject({ account_id: TEST_ACCOUNT_ID });

  const own = await take(
    accountId,
    ["SALE", sale, 2_500n],
    ["REFUND", refund, -500n],
    ["SALE", before, 1_000n],
  );
  expect(own).toMatchObject({ code: 0 });
  await eventually(async () =>
    expect(await own.verdicts()).toEqual([
      { verdict: "MATCHED" },
      { verdict: "MATCHED" },
      { verdict: "MISSING_HERE" },
    ]),
  );
  const [stray] = await system.query<{ detail: string }>(
    "select detail from settlement.difference where account_id = $1 and class = 'MISSING_HERE'",
    [accountId],
  );
  expect(stray).toEqual({ detail: "a payment or refund of another account is named" });

  resultOf(
    await system.operate(
      operations.changeAcquirerAccount.command,
      { accountId, change: { businessDay: { timeZone: "Europe/Istanbul", cutOff: "23:00" } } },
      "alice",
    ),
  );
  await confirm(accountId, 2);
  await eventually(async () => expect(await zoneOf(accountId)).toEqual({ time_zone: "Europe/Istanbul" }));
});
