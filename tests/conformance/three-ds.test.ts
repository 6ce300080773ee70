import { randomUUIDv7 } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { orderIdOf, type ProbedAcquirer } from "@holdfast/acquirer";
import { bankProtocols } from "@holdfast/sandbox/banks";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FORGERIES } from "../support/return-forgeries.ts";
import { playBank, type PlayedBank } from "./played-banks.ts";
import { passChallenge } from "./suite/pass-challenge.ts";

/** The banks whose gate answers our form with a page that leads to the issuer's. */
const BANKS = bankProtocols.filter((protocol) => protocol !== "nestpay" && protocol !== "iyzico");

/** Both hands of a bank's 3-D Secure: the adapter's form, the bank's pages and return, and the adapter's reading of it. */
describe.each(BANKS)("%s", (protocol) => {
  let dir: string;
  let bank: PlayedBank;
  let acquirer: ProbedAcquirer;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "holdfast-conformance-"));
    bank = await playBank(protocol, dir);
    acquirer = bank.connect();
  });
  afterAll(async () => {
    await acquirer.close();
    await bank.close();
    await rm(dir, { recursive: true });
  });

  test.each([
    ["sale", "123456", { kind: "approved", authentication: { transStatus: "Y" } }, ["sale approved 10000"]],
    [
      "authorize",
      "123456",
      { kind: "approved", authentication: { transStatus: "Y" } },
      ["authorize approved 10000"],
    ],
    ["sale", "000000", { kind: "declined", resultCode: expect.stringMatching(/./) as string }, []],
  ] as const)(
    "%s with the code %s charges the authenticated alone",
    async (operation, code, outcome, lines) => {
      const reference = randomUUIDv7();
      const amount = { amountMinor: 10_000n, currency: "TRY", installmentCount: 3 };
      const about = { reference, orderId: orderIdOf(reference), ...amount, operation, expiresAt: soon() };
      const card = { pan: "4111111111111111", expiryMonth: "12", expiryYear: "35", cvv: "123" };
      const buyer = { card, cardHolderName: "Ada Lovelace", customer: { ip: "203.0.113.7" } };
      const request = { ...about, ...buyer, returnUrl: RETURN_URL, sessionExpiresAt: soon() };
      const enrolled = await acquirer.enrol(request);
      if (enrolled.kind !== "challenge" || enrolled.challenge.type !== "html") throw new Error(enrolled.kind);
      const fields = await passChallenge(bank, enrolled.challenge.html, { code, returnUrl: RETURN_URL });
      const completion = { ...about, session: enrolled.session };
      const forgeries = FORGERIES[protocol].filter(([forged, as]) =>
        fields.some(([name, value]) => name === forged && value !== as),
      );
      for (const [forged, as] of forgeries) {
        const changed = fields.map(([name, value]) => [name, name === forged ? (as ?? "") : value] as const);
        expect(await acquirer.complete({ ...completion, returned: { fields: changed } })).toMatchObject({
          kind: "not_genuine",
        });
      }
      expect(await bank.ledger(reference)).toEqual([]);
      expect(await acquirer.complete({ ...completion, returned: { fields } })).toMatchObject(outcome);
      expect(await bank.ledger(reference)).toEqual(lines);
    },
  );
});

const RETURN_URL = "https://pay.example/return/1";
const soon = () => new Date(Date.now() + 60_000);
