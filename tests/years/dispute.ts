import { createHash, randomUUIDv7 } from "node:crypto";
import {
  addChargebackEvidencePart,
  beginChargebackEvidence,
  changePaymentChargeback,
  decidePaymentChargeback,
  describeChargeback,
  openPaymentChargeback,
  readChargebackEvidencePart,
} from "@holdfast/contracts";
import { createReplyRecipient, sealReply } from "@holdfast/sealing";
import { done } from "./done.ts";
import type { YearsSystem } from "./years-system.ts";

/** A chargeback that an operator opens, describes to the bank with a file, and sees lost. */
export async function dispute(
  { operate }: YearsSystem,
  paymentId: string,
): Promise<{ chargebackId: string; evidenceId: string }> {
  const [chargebackId, evidenceId] = [randomUUIDv7(), randomUUIDv7()];
  done(
    await operate(openPaymentChargeback, { chargebackId, paymentId, amountMinor: "200", currency: "TRY" }),
  );
  const respondBy = new Date(Date.now() + 86_400_000).toISOString();
  done(await operate(changePaymentChargeback, { chargebackId, reasonCode: "10.4", respondBy }));
  const content = Buffer.from("a receipt");
  const file = {
    fileName: "receipt.pdf",
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
  };
  const part = { chargebackId, evidenceId, part: 0 };
  const { sealTo } = done(await operate(beginChargebackEvidence, { chargebackId })).result;
  done(await operate(addChargebackEvidencePart, { ...part, ...file, content: sealReply(sealTo, content) }));
  const recipientKey = createReplyRecipient().publicKey;
  done(await operate(readChargebackEvidencePart, { ...part, recipientKey }));
  done(await operate(describeChargeback, { chargebackId }));
  done(
    await operate(decidePaymentChargeback, { chargebackId, outcome: "LOST", reason: "The bank wrote so." }),
  );
  return { chargebackId, evidenceId };
}
