import type { z } from "zod";
import type { StaffRole } from "../staff-role.ts";
import { cancelPayment, capturePayment } from "./commands.ts";
import { listCheckouts, listPaymentsForOperator, listRefundsForOperator } from "./list-commands.ts";
import { readCheckout } from "./checkout-commands.ts";
import { endCredential, makeCredential } from "./credential-commands.ts";
import {
  defineStaffCommand,
  type Command,
  type MessageContext,
  type OperatorMessageContext,
  type StaffMessageContext,
} from "./message.ts";
import { describePayment, readPaymentsAuditLog } from "./operator-commands.ts";
import {
  endPaymentLink,
  makePaymentLink,
  readPaymentLink,
  readPaymentLinks,
} from "./payment-link-commands.ts";
import { describeRefund, requestRefundForMerchant } from "./refund-commands.ts";
import { listMerchantStatements } from "./statement-commands.ts";
import {
  activateWebhookSecret,
  changeWebhookEndpoint,
  createWebhookEndpoint,
  getWebhookDelivery,
  listWebhookDeliveries,
  listWebhookEndpoints,
  putWebhook,
  redeliverFailedWebhooks,
  redeliverWebhook,
  removeWebhookEndpoint,
  rotateWebhookSecret,
  testWebhook,
} from "./webhook-commands.ts";

/**
 * The commands of a merchant's staff to the services: those of merchants and operators, under subjects of their own, so
 * that each carries the proof of who asks (docs/adr/0047). A `merchantId` in a request is not read: the token names it.
 */

type Original =
  | Command<z.ZodType, z.ZodType, MessageContext>
  | Command<z.ZodType, z.ZodType, OperatorMessageContext>;

/** The role for each command, and the need of a recent sign-in. */
const ROLES: readonly (readonly [of: Original, role: StaffRole, recentSignIn?: true])[] = [
  [listPaymentsForOperator, "support"],
  [describePayment, "support"],
  [readPaymentsAuditLog, "support"],
  [listRefundsForOperator, "support"],
  [describeRefund, "support"],
  [listCheckouts, "support"],
  [readCheckout, "support"],
  [listMerchantStatements, "support"],
  [listWebhookEndpoints, "support"],
  [listWebhookDeliveries, "support"],
  [getWebhookDelivery, "support"],
  [readPaymentLink, "support"],
  [readPaymentLinks, "support"],
  [capturePayment, "refunds", true],
  [cancelPayment, "refunds", true],
  [requestRefundForMerchant, "refunds", true],
  [putWebhook, "developer"],
  [createWebhookEndpoint, "developer"],
  [changeWebhookEndpoint, "developer"],
  [removeWebhookEndpoint, "developer"],
  [rotateWebhookSecret, "developer"],
  [activateWebhookSecret, "developer"],
  [testWebhook, "developer"],
  [redeliverWebhook, "developer"],
  [redeliverFailedWebhooks, "developer"],
  [makeCredential, "developer", true],
  [endCredential, "developer", true],
  [makePaymentLink, "owner"],
  [endPaymentLink, "owner"],
];

/** The staff's commands by the subject of the original command. */
export const STAFF_COMMANDS: Readonly<Record<string, Command<z.ZodType, z.ZodType, StaffMessageContext>>> =
  Object.fromEntries(
    ROLES.map(([of, staffRole, recentSignIn]) => [
      of.subject,
      // Commands of merchants and of operators, which have no common type.
      defineStaffCommand(of as never, { staffRole, recentSignIn }),
    ]),
  );

/** The staff's version of a command. @throws TypeError for a command that they do not have. */
export function staffVersionOf<Request extends z.ZodType, Result extends z.ZodType>({
  subject,
}: Command<Request, Result, MessageContext> | Command<Request, Result, OperatorMessageContext>): Command<
  Request,
  Result,
  StaffMessageContext
> {
  const own = STAFF_COMMANDS[subject];
  if (own === undefined) throw new TypeError(`${subject} is no command of merchants' staff`);
  return own as Command<Request, Result, StaffMessageContext>;
}
