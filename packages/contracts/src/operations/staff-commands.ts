import type { z } from "zod";
import type { StaffRole } from "../staff-role.ts";
import { endCredential, makeCredential } from "../messages/credential-commands.ts";
import {
  defineStaffCommand,
  type Command,
  type MessageContext,
  type OperatorMessageContext,
  type StaffMessageContext,
} from "../messages/message.ts";
import { readAuditLog } from "../messages/audit-log-commands.ts";
import { STAFF_PAIRS } from "./staff-endpoints.ts";

/**
 * The commands of a merchant's staff to the services. They are the commands of merchants and operators under
 * subjects of their own, so that each carries proof of its sender (docs/adr/0047). A `merchantId` in a
 * request is not read: the token names the merchant.
 */

type Original =
  | Command<z.ZodType, z.ZodType, MessageContext>
  | Command<z.ZodType, z.ZodType, OperatorMessageContext>;

/** Commands that no endpoint of theirs has as its own: parts of an answer, and what the operators' listener carries out. */
const PARTS: readonly (readonly [of: Original, role: StaffRole, recentSignIn?: true])[] = [
  [readAuditLog.payments, "support"],
  [makeCredential, "developer", true],
  [endCredential, "developer", true],
];

/** The commands of the operations that staff have, too, with the role and the sign-in of their endpoint. */
const OWN = STAFF_PAIRS.flatMap(([of, { role, recentSignIn }]) =>
  "command" in of ? [[of.command as Original, role as StaffRole, recentSignIn] as const] : [],
);

/** The staff's commands by the subject of the original command. */
export const STAFF_COMMANDS: Readonly<Record<string, Command<z.ZodType, z.ZodType, StaffMessageContext>>> =
  Object.fromEntries(
    [...PARTS, ...OWN].map(([of, staffRole, recentSignIn]) => [
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
