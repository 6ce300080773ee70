import { z } from "zod";
import { paymentStatusSchema } from "./payment-status.ts";
import { FIELD_CODES, type FieldCode } from "./field-codes.ts";
import { PROBLEM_CODES, PROBLEMS, type ProblemCode } from "./problem-codes.ts";

/** RFC 9457 `type` of a code. */
export function problemType(code: ProblemCode): string {
  return `urn:holdfast:problem:${code}`;
}

export const fieldFaultSchema = z
  .object({
    field: z.string().meta({ description: "Path of the field; `body` stands for the whole body" }),
    code: z.string().meta({
      description: `Stable code for programs, among them ${FIELD_CODES.map((code) => `\`${code}\``).join(", ")}`,
      examples: ["required", "too_many_decimals"],
    }),
    message: z.string().meta({ description: "Explanation for people; it never repeats the value" }),
  })
  .meta({ id: "FieldFault" });
/** A fault in our answers, with one of our codes. A later version may have more codes, so readers take any. */
export type FieldFault = z.infer<typeof fieldFaultSchema> & { code: FieldCode };

export const problemSchema = z
  .object({
    type: z
      .string()
      .meta({ description: "`code` as a URN", examples: ["urn:holdfast:problem:validation_failed"] }),
    title: z.string().meta({ description: "What `code` means, for people; its words can change" }),
    status: z.int().meta({ description: "HTTP status of the answer" }),
    detail: z
      .string()
      .optional()
      .meta({ description: "What is wrong with this request, for people; its words can change" }),
    instance: z
      .string()
      .meta({ description: "Identifies this occurrence of the problem", examples: ["urn:uuid:0199…"] }),
    code: z.enum(PROBLEM_CODES).meta({
      id: "ProblemCode",
      description: PROBLEM_CODES.map(
        (code) => `- \`${code}\` (${PROBLEMS[code].status}): ${PROBLEMS[code].title}`,
      ).join("\n"),
    }),
    requestId: z.uuid().meta({ description: "Id of the request; name it when you ask for support" }),
    errors: z
      .array(fieldFaultSchema)
      .optional()
      .meta({ description: "Present with `validation_failed`: every fault of the request" }),
    currentStatus: paymentStatusSchema
      .optional()
      .meta({ description: "Present with `invalid_payment_state` and `payment_not_captured`" }),
    capturableAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `capture_amount_exceeds_authorized`" }),
    remainingRefundableAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `refund_amount_exceeds_remaining`" }),
    disputableAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `chargeback_amount_exceeds_captured`" }),
    pendingRefundAmount: z
      .number()
      .optional()
      .meta({ description: "Present with `refund_pending`: the amount of refunds that have not ended" }),
    refundedAmount: z.number().optional().meta({ description: "Present with `already_refunded`" }),
    allowed: z
      .array(
        z.union([
          z.int().meta({ description: "A number of installments" }),
          z.string().meta({ description: "A code" }),
        ]),
      )
      .optional()
      .meta({
        description:
          "Present with `installments_not_allowed`: the numbers that the card supports; with `loyalty_not_allowed`: the " +
          "codes that it has",
      }),
    installmentTotal: z
      .number()
      .optional()
      .meta({ description: "Present with `installment_total_mismatch`: what the card would be charged" }),
    field: z
      .string()
      .optional()
      .meta({
        description: "Present with `bank_requires_field`: the path of the field",
        examples: ["customer.email"],
      }),
    notBefore: z.iso.datetime().optional().meta({
      description: "Present with `too_young`: from then on nothing that was sent can take effect any more",
    }),
    maxAge: z.int().optional().meta({
      description:
        "Present with `insufficient_user_authentication`: within how many seconds the person has to have signed in",
    }),
    resultCode: z.string().optional().meta({ description: "Present with `acquirer_declined`" }),
    resultMessage: z.string().optional().meta({ description: "Present with `acquirer_declined`" }),
    paymentId: z.uuid().optional().meta({
      description: "Present with `outcome_unknown` and `order_undecided`: the payment to look up",
    }),
  })
  .meta({ id: "Problem", description: "RFC 9457 problem details" });
export type Problem = z.infer<typeof problemSchema>;
