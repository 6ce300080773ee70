// Payments with 3-D Secure through the whole product in real processes, with a browser played by hand: it follows the
// forms and redirects that it is given, and nothing else.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { open, send } from "../follow-forms.ts";
import { preAuthorization, type Answer, type RunningSandbox } from "../running-sandbox.ts";

const CHALLENGED = "4000000000003220";

/** Asks for a sale with 3-D Secure. */
export async function enrol(sandbox: RunningSandbox, change: Record<string, unknown> = {}): Promise<Answer> {
  return await sandbox.merchant()("POST", "/api/3ds", {
    ...preAuthorization({ pan: CHALLENGED }),
    successUrl: "https://shop.example/yes?basket=7",
    failureUrl: "https://shop.example/no",
    ...change,
  });
}

/** The bank's operations for the payment. */
export async function ledger(sandbox: RunningSandbox, paymentId: string): Promise<string[]> {
  const text = await (await fetch(`${sandbox.file.acquirerUrl}/ledger`)).text();
  const lines = text.split("\n").filter(Boolean);
  return lines
    .map((line) => JSON.parse(line) as { reference: string; operation: string; outcome: string })
    .filter(({ reference }) => reference.startsWith(paymentId))
    .map(({ operation, outcome }) => `${operation} ${outcome}`);
}

/** Enrols, passes, fails and cancels; and pays with cards that need no challenge. */
export async function expectChallengesAnswered(sandbox: RunningSandbox): Promise<void> {
  const read = async (paymentId: string) => await sandbox.merchant()("GET", `/api/payment/${paymentId}`);

  const asked = await enrol(sandbox);
  expect(asked).toMatchObject({ status: 201, body: { status: "ENROLLED", expiresAt: expect.any(String) } });
  const { paymentId, redirectUrl, htmlContent } = asked.body;
  expect(redirectUrl.startsWith(sandbox.file.publicUrl)).toBe(true);
  expect(await read(paymentId)).toMatchObject({ body: { status: "ENROLLED" } });
  const hop = await open(redirectUrl);
  const issuer = await send(hop);
  expect(issuer.html).toContain('name="code"');
  const back = await send(issuer, { code: "123456", answer: "submit" });
  const shop = (await send(back)).shop;
  expect(shop?.href).toBe(
    `https://shop.example/yes?basket=7&paymentId=${paymentId}&orderId=${asked.body.orderId}`,
  );
  expect(await read(paymentId)).toMatchObject({ body: { status: "SUCCESS", pan: "400000******3220" } });
  expect(await ledger(sandbox, paymentId)).toEqual(["sale approved"]);
  // The browser goes back, and comes again: nothing is carried out twice.
  expect((await send(back)).shop?.pathname).toBe("/yes");
  expect((await open(redirectUrl)).shop?.pathname).toBe("/yes");
  expect(await ledger(sandbox, paymentId)).toEqual(["sale approved"]);
  expect(Buffer.from(htmlContent, "base64").toString()).toContain('name="session"');

  for (const [typed, resultCode] of [
    [{ code: "000000", answer: "submit" }, "authentication_failed"],
    [{ code: "", answer: "cancel" }, "authentication_cancelled"],
  ] as const) {
    const { body } = await enrol(sandbox);
    // The page that the merchant was given leads there, too.
    const own = {
      status: 200,
      url: sandbox.file.publicUrl,
      html: Buffer.from(body.htmlContent, "base64").toString(),
    };
    const answered = await send(await send(own), typed);
    const failed = answered.shop ?? (await send(answered)).shop;
    expect(failed?.href).toBe(`https://shop.example/no?paymentId=${body.paymentId}&orderId=${body.orderId}`);
    expect(await read(body.paymentId)).toMatchObject({ body: { status: "FAILED", resultCode } });
  }

  const reserved = await enrol(sandbox, { pan: "4000000000003055", transactionType: "PRE_AUTHORIZATION" });
  expect(reserved).toMatchObject({ status: 201, body: { status: "SUCCESS" } });
  const capture = await sandbox.merchant()("POST", `/api/payment/${reserved.body.paymentId}/capture`, {});
  expect(capture).toMatchObject({ status: 200, body: { status: "CAPTURED" } });
  expect(await enrol(sandbox, { pan: "4000000000003097" })).toMatchObject({
    status: 201,
    body: { status: "FAILED", resultCode: "authentication_failed" },
  });
  const logs = readdirSync(sandbox.file.logs).map((name) =>
    readFileSync(join(sandbox.file.logs, name), "utf8"),
  );
  expect(logs.join("\n")).not.toContain(CHALLENGED);
}
