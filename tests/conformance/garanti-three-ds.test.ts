import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orderIdOf, type ProbedAcquirer } from "@holdfast/acquirer";
import { afterAll, beforeAll, expect, test } from "vitest";
import { playBank, type PlayedBank } from "./played-banks.ts";

/** Both hands of Garanti's 3-D Secure: the adapter's form, the bank's pages and return, and the adapter's reading of it. */
let dir: string;
let bank: PlayedBank;
let acquirer: ProbedAcquirer;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "holdfast-conformance-"));
  bank = await playBank("garanti", dir);
  acquirer = bank.connect();
});
afterAll(async () => {
  await acquirer.close();
  await bank.close();
  await rm(dir, { recursive: true });
});

const RETURN_URL = "https://pay.example/return/1";
const soon = () => new Date(Date.now() + 60_000);

test.each([
  ["sale", "123456", { kind: "approved", authentication: { transStatus: "Y" } }, ["sale approved 10000"]],
  [
    "authorize",
    "123456",
    { kind: "approved", authentication: { transStatus: "Y" } },
    ["authorize approved 10000"],
  ],
  ["sale", "000000", { kind: "declined", resultCode: "MD-0" }, []],
] as const)(
  "%s with the code %s charges the authenticated alone",
  async (operation, code, outcome, lines) => {
    const reference = randomUUID();
    const amount = { amountMinor: 10_000n, currency: "TRY", installmentCount: 3 };
    const about = { reference, orderId: orderIdOf(reference), ...amount, operation, expiresAt: soon() };
    const card = { pan: "4282209004348015", expiryMonth: "12", expiryYear: "35", cvv: "123" };
    const buyer = { card, cardHolderName: "Ada Lovelace", customer: { ip: "203.0.113.7" } };
    const request = { ...about, ...buyer, returnUrl: RETURN_URL, sessionExpiresAt: soon() };
    const enrolled = await acquirer.enrol(request);
    if (enrolled.kind !== "challenge" || enrolled.challenge.type !== "html") throw new Error(enrolled.kind);
    const fields = await passChallenge(enrolled.challenge.html, code);
    const dearer = fields.map(([name, value]) => [name, name === "mdstatus" ? "4" : value] as const);
    const completion = { ...about, session: enrolled.session };
    expect(await acquirer.complete({ ...completion, returned: { fields: dearer } })).toMatchObject({
      kind: "not_genuine",
    });
    expect(await bank.ledger(reference)).toEqual([]);
    expect(await acquirer.complete({ ...completion, returned: { fields } })).toMatchObject(outcome);
    expect(await bank.ledger(reference)).toEqual(lines);
  },
);

/** Posts each page's form, as a browser does, until one leads back to us. */
async function passChallenge(html: string, code: string): Promise<[string, string][]> {
  const inputs = [...html.matchAll(/<input\b([^<>]*)>/gi)].map(([, attributes = ""]) => attributes);
  const fields = inputs.map((of): [string, string] => {
    const name = attributeOf(of, "name");
    return [name, name === "code" ? code : attributeOf(of, "value")];
  });
  const posted = fields.filter(([name]) => name !== "");
  const action = attributeOf(html, "action");
  if (action === RETURN_URL) return posted;
  const url = new URL(action, String(bank.account.settings["gateUrl"]));
  const answer = await fetch(url, { method: "POST", body: new URLSearchParams(posted) });
  return await passChallenge(await answer.text(), code);
}

function attributeOf(text: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1] ?? "";
  return value.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}
