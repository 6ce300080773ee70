import { z } from "zod";
import { chargebackDetailSchema } from "../http/chargeback-record.ts";
import { EVIDENCE_BYTES_MAX } from "../http/chargebacks.ts";
import { amountMinorSchema, defineOperatorCommand, defineServiceCommand } from "./message.ts";

/**
 * A line of a bank's file about money that the bank has taken back, as the settlement service has read it: a chargeback,
 * its reversal, or a refund that the gateway did not make.
 */
export const chargebackLineSchema = z.object({
  /** SHA-256 in hex, the same for every copy of the line in any file. */
  lineId: z.string().regex(/^[\da-f]{64}$/),
  kind: z.enum(["CHARGEBACK", "CHARGEBACK_REVERSAL", "REFUND"]),
  paymentId: z.uuid(),
  /** An amount without a sign: the kind gives the direction. */
  amountMinor: amountMinorSchema,
  currency: z.string().regex(/^[A-Z]{3}$/),
  bankReference: z.string().max(128).optional(),
});
export type ChargebackLine = z.infer<typeof chargebackLineSchema>;

/** The most lines in one message. */
export const CHARGEBACK_LINES_MAX = 100;

/**
 * Passes the lines of banks' files about chargebacks to payments, since settlement cannot move money. It is idempotent
 * by the line's id.
 */
export const recordChargebackLines = defineServiceCommand({
  service: "payments",
  name: "record-chargeback-lines",
  senders: ["settlement"],
  work: "write",
  request: z.object({ lines: z.array(chargebackLineSchema).min(1).max(CHARGEBACK_LINES_MAX) }),
  /** The lines that are recorded now; the other lines' payments are unknown. */
  result: z.object({ recorded: z.array(z.string()) }),
});

const oneChargeback = { chargebackId: z.uuid() };
const written = {
  service: "payments",
  role: "operations",
  work: "write",
  result: chargebackDetailSchema,
} as const;

/** The most bytes of evidence in one message. */
export const EVIDENCE_PART_BYTES = 262_144;
export const evidencePartNumber = z
  .int()
  .min(0)
  .max(EVIDENCE_BYTES_MAX / EVIDENCE_PART_BYTES - 1);

/** The public key that the parts of a file for this case are sealed to: a letter may show a whole card number. */
export const beginChargebackEvidence = defineOperatorCommand({
  ...written,
  name: "begin-evidence",
  request: z.object(oneChargeback),
  result: z.object({ sealTo: z.string() }),
});
