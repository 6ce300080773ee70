import { createHash, randomUUIDv7 } from "node:crypto";
import { beginChargebackEvidence, operations } from "@holdfast/contracts";
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
    await operate(operations.openChargeback.command, {
      chargebackId,
      paymentId,
      amountMinor: "200",
      currency: "TRY",
    }),
  );
  const respondBy = new Date(Date.now() + 86_400_000).toISOString();
  done(await operate(operations.changeChargeback.command, { chargebackId, reasonCode: "10.4", respondBy }));
  const content = Buffer.from("a receipt");
  const file = {
    fileName: "receipt.pdf",
    bytes: content.length,
    sha256: createHash("sha256").update(content).digest("hex"),
  };
  const part = { chargebackId, evidenceId, part: 0 };
  const { sealTo } = done(await operate(beginChargebackEvidence, { chargebackId })).result;
  done(
    await operate(operations.addChargebackEvidence.command, {
      ...part,
      ...file,
      content: sealReply(sealTo, content),
    }),
  );
  const recipientKey = createReplyRecipient().publicKey;
  done(await operate(operations.getChargebackEvidence.command, { ...part, recipientKey }));
  done(await operate(operations.getChargeback.command, { chargebackId }));
  done(
    await operate(operations.decideChargeback.command, {
      chargebackId,
      outcome: "LOST",
      reason: "The bank wrote so.",
    }),
  );
  return { chargebackId, evidenceId };
}
