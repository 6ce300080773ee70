import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHoldfast, runProgram } from "../run-program.ts";
import { eventually } from "../../support/index.ts";
import { expect } from "vitest";
import { preAuthorization, type Client, type RunningSandbox } from "../running-sandbox.ts";

/** Leaves another BIN table than it finds. */
export async function expectRulesPricesAndBins(sandbox: RunningSandbox): Promise<void> {
  const admin = sandbox.operator();
  const created = await admin("POST", "/operator/merchants", {
    name: "A shop",
    commission: {
      ratePercent: "2.00",
      fixed: "0.25",
      currency: "TRY",
      rules: [{ domInt: "INT", ratePercent: "4.00", fixed: "1.50" }],
    },
    rules: {
      largestAmounts: [{ currency: "TRY", amount: "1000.00" }],
      attemptsPerCard: { max: 2, windowSeconds: 600 },
    },
  });
  expect(created.status).toBe(201);
  const merchant = sandbox.merchant(created.body);
  await admin("PUT", `/operator/merchants/${created.body.merchantId}/webhook`, {
    url: "https://localhost:9/",
  });
  const pay = (change: Record<string, unknown>) =>
    merchant("POST", "/api/pre-authorization", preAuthorization(change));

  const tooLarge = await pay({ amount: 1000.01 });
  expect(tooLarge).toMatchObject({
    status: 201,
    body: { status: "REJECTED", resultCode: "rule_largest_amount", merchantCommission: 0 },
  });
  const { paymentId } = tooLarge.body;
  expect((await merchant("GET", `/api/payment/${paymentId}`)).body).toEqual(tooLarge.body);
  const ledger = await (await fetch(`${sandbox.file.acquirerUrl}/ledger`)).text();
  expect(ledger).not.toContain(paymentId);
  await eventually(async () => {
    const path = `/operator/webhook-deliveries?paymentId=${paymentId}`;
    expect((await admin("GET", path)).body.items).toMatchObject([{ paymentStatus: "REJECTED" }]);
  });

  expect((await pay({ amount: 100 })).body).toMatchObject({ domInt: "DOM", merchantCommission: 2.25 });
  expect((await pay({ amount: 100, pan: "378282246310005", cvv: "1234" })).body).toMatchObject({
    domInt: "INT",
    merchantCommission: 5.5,
  });
  expect((await pay({ amount: 100 })).body).toMatchObject({ status: "SUCCESS" });
  expect((await pay({ amount: 100 })).body).toMatchObject({
    status: "REJECTED",
    resultCode: "rule_attempts_per_card",
  });
  await expectImportedBins(sandbox, merchant);
}

async function expectImportedBins(sandbox: RunningSandbox, merchant: Client): Promise<void> {
  const admin = sandbox.operator();
  expect(await merchant("GET", "/api/bins/41111111")).toMatchObject({
    status: 200,
    body: { cardType: "CREDIT", domInt: "DOM" },
  });
  const imported = await importBins(
    sandbox,
    "bin,card_scheme,card_type,country,installments_max\n41111111,VISA,DEBIT,DE,1\n",
  );
  expect(imported).toMatchObject({ status: 0, stdout: "1 BINs and ranges imported as version 1\n" });
  await eventually(async () => {
    expect((await merchant("GET", "/api/bins/41111111")).body).toMatchObject({
      cardType: "DEBIT",
      domInt: "INT",
    });
  });
  expect(await merchant("GET", "/api/bins/555555")).toMatchObject({
    status: 404,
    body: { code: "bin_not_found" },
  });
  expect((await admin("GET", "/operator/audit-log")).text).toContain("bins.imported");
  // The services have logged the heads over their own and the import's entries.
  await eventually(async () => {
    const { stdout } = await runHoldfast(
      "verify-audit",
      "--home",
      sandbox.home,
      "--anchors",
      join(sandbox.home, "logs"),
    );
    for (const chain of ["gateway", "payments", "webhooks"]) {
      expect(stdout).toMatch(new RegExp(`^${chain}: intact, \\d+ entries, [1-9]\\d* anchors found`, "m"));
    }
    expect(stdout).toContain("0 broken");
  });
  expect(await runProgram("tools/sandbox/src/keys.ts", "--home", sandbox.home, "status")).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^CREDENTIAL_PEPPERS\n  1 +active +\d+ credentials need it\n/) as string,
  });
  expect(await runProgram("tools/sandbox/src/keys.ts", "--home", sandbox.home, "reencrypt")).toMatchObject({
    status: 0,
  });
}

async function importBins({ home }: RunningSandbox, text: string) {
  const file = join(home, "bins.csv");
  writeFileSync(file, text);
  return await runHoldfast("import-bins", file, "--home", home);
}
