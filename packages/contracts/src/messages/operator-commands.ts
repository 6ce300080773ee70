import { z } from "zod";
import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import { operatorPaymentDetailSchema, resolutionOutcomeSchema } from "../http/operator-payments.ts";
import { defineOperatorCommand } from "./message.ts";

/** Operators' commands to the services, through the gateway. Each service verifies the operator's token itself. */

const onePayment = z.object({ paymentId: z.uuid() });

export const describePayment = defineOperatorCommand({
  service: "payments",
  name: "describe",
  role: "viewer",
  work: "read",
  request: onePayment,
  result: operatorPaymentDetailSchema,
});

export const inquireUnresolvedPayment = defineOperatorCommand({
  service: "payments",
  name: "inquire",
  role: "operations",
  request: onePayment,
  result: operatorPaymentDetailSchema,
});

export const reverseUnresolvedPayment = defineOperatorCommand({
  service: "payments",
  name: "reverse",
  role: "operations",
  recentSignIn: true,
  request: onePayment,
  result: operatorPaymentDetailSchema,
});

export const resolveUnresolvedPayment = defineOperatorCommand({
  service: "payments",
  name: "resolve",
  role: "operations",
  recentSignIn: true,
  request: onePayment.extend({ outcome: resolutionOutcomeSchema, evidence: z.string() }),
  result: operatorPaymentDetailSchema,
});

export const readPaymentsAuditLog = defineOperatorCommand({
  service: "payments",
  name: "audit-log",
  role: "viewer",
  work: "read",
  request: auditPageSchema,
  result: auditEntriesSchema,
});
