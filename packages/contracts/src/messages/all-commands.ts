import * as acquirerAccountCommands from "./acquirer-account-commands.ts";
import * as bankNotificationCommands from "./bank-notification-commands.ts";
import * as chargebackCommands from "./chargeback-commands.ts";
import * as checkoutCommands from "./checkout-commands.ts";
import * as credentialCommands from "./credential-commands.ts";
import * as paymentLinkCommands from "./payment-link-commands.ts";
import * as merchantCommands from "./commands.ts";
import * as listCommands from "./list-commands.ts";
import type { Command } from "./message.ts";
import * as operatorCommands from "./operator-commands.ts";
import * as refundCommands from "./refund-commands.ts";
import * as refundBankCommands from "./refund-bank-commands.ts";
import * as reservationCommands from "./refund-reservation-commands.ts";
import { STAFF_COMMANDS } from "./staff-commands.ts";
import * as settlementCommands from "./settlement-commands.ts";
import * as statementCommands from "./statement-commands.ts";
import * as threeDsCommands from "./three-ds-commands.ts";
import * as webhookCommands from "./webhook-commands.ts";

/** Every command of the services. The permissions of the bus are made from it: one that is not here cannot be sent. */
export const ALL_COMMANDS: readonly Command[] = [
  merchantCommands,
  acquirerAccountCommands,
  bankNotificationCommands,
  chargebackCommands,
  checkoutCommands,
  credentialCommands,
  paymentLinkCommands,
  listCommands,
  operatorCommands,
  refundCommands,
  refundBankCommands,
  reservationCommands,
  settlementCommands,
  statementCommands,
  threeDsCommands,
  webhookCommands,
  { STAFF_COMMANDS },
].flatMap((module) => Object.values(module).flatMap(commandsIn));

/** A module exports commands, records of commands (one for each source), schemas and constants. */
function commandsIn(exported: unknown): Command[] {
  if (typeof exported !== "object" || exported === null) return [];
  if (isCommand(exported)) return [exported];
  return Object.values(exported).filter(isCommand);
}

function isCommand(value: unknown): value is Command {
  return typeof value === "object" && value !== null && "senders" in value && "subject" in value;
}
