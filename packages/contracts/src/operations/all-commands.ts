import * as auditLogCommands from "../messages/audit-log-commands.ts";
import * as bankNotificationCommands from "../messages/bank-notification-commands.ts";
import * as chargebackCommands from "../messages/chargeback-commands.ts";
import * as checkoutCommands from "../messages/checkout-commands.ts";
import * as credentialCommands from "../messages/credential-commands.ts";
import * as paymentLinkCommands from "../messages/payment-link-commands.ts";
import type { Command } from "../messages/message.ts";
import * as proposalCommands from "../messages/proposal-commands.ts";
import * as refundCommands from "../messages/refund-commands.ts";
import * as refundBankCommands from "../messages/refund-bank-commands.ts";
import * as reservationCommands from "../messages/refund-reservation-commands.ts";
import { operations } from "./operations.ts";
import { STAFF_COMMANDS } from "./staff-commands.ts";
import * as settlementCommands from "../messages/settlement-commands.ts";
import * as threeDsCommands from "../messages/three-ds-commands.ts";
import * as webhookCommands from "../messages/webhook-commands.ts";

/** Every command of the services. The permissions of the bus are made from it: one that is not here cannot be sent. */
export const ALL_COMMANDS: readonly Command[] = [
  auditLogCommands,
  bankNotificationCommands,
  chargebackCommands,
  checkoutCommands,
  credentialCommands,
  paymentLinkCommands,
  proposalCommands,
  refundCommands,
  refundBankCommands,
  reservationCommands,
  settlementCommands,
  threeDsCommands,
  webhookCommands,
  { STAFF_COMMANDS },
  Object.values(operations),
].flatMap((module) => Object.values(module).flatMap(commandsIn));

/** A module exports commands, records of commands (one for each source), schemas and constants. */
function commandsIn(exported: unknown): Command[] {
  if (typeof exported !== "object" || exported === null) return [];
  if (isCommand(exported)) return [exported];
  if ("command" in exported) return commandsIn(exported.command);
  return Object.values(exported).filter(isCommand);
}

function isCommand(value: unknown): value is Command {
  return typeof value === "object" && value !== null && "senders" in value && "subject" in value;
}
