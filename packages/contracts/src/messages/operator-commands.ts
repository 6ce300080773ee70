import { z } from "zod";
import { auditEntriesSchema, auditPageSchema } from "../http/audit-log.ts";
import {
  operatorPaymentDetailSchema,
  operatorPaymentPageSchema,
  resolutionOutcomeSchema,
} from "../http/operator-payments.ts";
import { defineOperatorCommand } from "./message.ts";

/** What operators ask of the services, through the gateway. Each service verifies the operator's token itself. */

/** `cursor` is the service's own, opaque to the gateway. */
const page = z.object({ limit: z.int(), cursor: z.string().optional() });
const onePayment = z.object({ paymentId: z.uuid() });

/** As a gateway of the version before `listPaymentsForOperator` asks. */
export const listUnresolvedPayments = defineOperatorCommand({
  service: "payments",
  name: "list-unresolved",
  role: "viewer",
  work: "read",
  request: page,
  result: operatorPaymentPageSchema,
});

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
