import { z } from "zod";
import { merchantSettingsSchema } from "../http/merchants.ts";
import type { OperatorRole } from "../operator-role.ts";
import { PROBLEM_CODES } from "../problem-codes.ts";
import type { FieldFault } from "../problem.ts";
import type { StaffRole } from "../staff-role.ts";
import type { Work } from "../work.ts";
import type { BusUser } from "./bus-users.ts";

/** An amount in minor units, in decimal digits: JSON has no bigint. */
export const amountMinorSchema = z.string().regex(/^\d{1,14}$/);

const baseContext = {
  requestId: z.string(),
  /** Epoch milliseconds; a handler refuses a message past it. */
  deadlineAt: z.number(),
};

/**
 * The context of a merchant's command beside its own fields: the merchant, and the time until which it may be begun.
 * W3C trace context travels in the message's headers.
 */
export const messageContextSchema = z.object({
  ...baseContext,
  /** The merchant's Idempotency-Key; `scope` is the method and path of its request. */
  idempotency: z.object({ key: z.string(), scope: z.string() }).optional(),
  /** The merchant with its plan and rules, as they were when it signed in. */
  merchant: z.object({
    merchantId: z.uuid(),
    ...merchantSettingsSchema.shape,
    /**
     * The person who issued the credential of this request (`personOf`), and who may not decide about it. Absent if the issuer
     * is unknown, and for a buyer's page, which has no credential.
     */
    credentialIssuedBy: z.string().optional(),
  }),
});
export type MessageContext = z.infer<typeof messageContextSchema>;

/**
 * The context of an operator's command. It carries its proof: the access token of the person who asks, which the
 * serving service verifies itself.
 */
export const operatorMessageContextSchema = z.object({
  ...baseContext,
  operator: z.object({ token: z.string().max(16_384) }),
});
export type OperatorMessageContext = z.infer<typeof operatorMessageContextSchema>;

/** The context in the handler of an operator's command: the person named by the verified token. */
export type OperatorContext = {
  requestId: string;
  deadlineAt: number;
  /**
   * The name goes into the audit log; `staffOf` is the person's merchant, for its staff. Decisions compare
   * `person` (`personOf`), and records store it.
   */
  operator: { name: string; person: string; roles: ReadonlySet<OperatorRole>; staffOf?: string };
};

/**
 * The context of a command of a merchant's staff. It has the person's access token instead of a merchant: the
 * token names the merchant, and the request names the mode.
 */
export const staffMessageContextSchema = z.object({
  ...baseContext,
  idempotency: z.object({ key: z.string(), scope: z.string() }).optional(),
  staff: z.object({ token: z.string().max(16_384), livemode: z.boolean() }),
  /** The merchant's plan and rules, as they were when the person signed in. */
  settings: merchantSettingsSchema,
});
export type StaffMessageContext = z.infer<typeof staffMessageContextSchema>;

/**
 * The context in the handler of such a command: the merchant, as in a merchant's command, and the person in the place
 * of the operator, so that both kinds of handlers can be used. It has no roles of operators.
 */
export type StaffContext = OperatorContext & Pick<MessageContext, "merchant" | "idempotency">;

/** The context of a command between services, with no person behind it. */
export const serviceContextSchema = z.object({ ...baseContext, service: z.object({ name: z.string() }) });
export type ServiceContext = z.infer<typeof serviceContextSchema>;

/** The context that a message carries. */
export type CommandContext = MessageContext | OperatorMessageContext | StaffMessageContext | ServiceContext;

/** The context in the handler of a command. */
export type HandlerContext<Carried extends CommandContext = CommandContext> =
  Carried extends OperatorMessageContext
    ? OperatorContext
    : Carried extends StaffMessageContext
      ? StaffContext
      : Carried;

/** A request-reply subject with its schemas. One constant names it on both sides. */
export type Command<
  Request extends z.ZodType = z.ZodType,
  Result extends z.ZodType = z.ZodType,
  C extends CommandContext = CommandContext,
> = {
  /** The service that serves it. */
  service: string;
  /** The second part of its subject. */
  name: string;
  subject: string;
  /**
   * The users that may send it. The bus permissions are made from this list, and no other user's message is
   * answered.
   */
  senders: readonly BusUser[];
  work: Work;
  /** The role that the asking operator needs; of operators' commands only. */
  role?: OperatorRole;
  /** The role that the asking person needs at their merchant; of staff's commands only. */
  staffRole?: StaffRole;
  /** Requires a recent sign-in, as decisions about money do; of people's commands only. */
  recentSignIn?: true | undefined;
  context: z.ZodType<C>;
  request: Request;
  reply: z.ZodType<CommandReply<z.infer<Result>>>;
};

/**
 * The end of a command, as the gateway must answer it. `done`: carried out, and the result is final for this
 * request. `pending`: begun, and the outcome at the bank is not known yet. `problem`: refused, and nothing
 * changed. `not_started`: nothing happened and nothing will. `in_doubt`: it may have happened.
 */
export type CommandReply<Result> =
  | {
      outcome: "done" | "pending";
      result: Result;
      /** The stored answer of an earlier request. */ replayed?: true | undefined;
    }
  | {
      outcome: "problem";
      code: (typeof PROBLEM_CODES)[number];
      detail?: string | undefined;
      extra?: ProblemExtra | undefined;
      replayed?: true | undefined;
    }
  | { outcome: "not_started" }
  | { outcome: "in_doubt" };

/** Members of the problem; the faults of `validation_failed` have codes of the list that merchants read. */
type ProblemExtra = Record<string, unknown> & { errors?: FieldFault[] };

type CommandDefinition<Request extends z.ZodType, Result extends z.ZodType> = {
  service: string;
  name: string;
  request: Request;
  result: Result;
  /** The default is the gateway's listener for the people or merchants who ask. */
  senders?: readonly BusUser[];
  /** The default is `external`. */
  work?: Work;
};

/** A command that a merchant's request leads to, sent by default by the merchant API. */
export function defineCommand<Request extends z.ZodType, Result extends z.ZodType>(
  definition: CommandDefinition<Request, Result>,
): Command<Request, Result, MessageContext> {
  return command({ senders: ["gateway-merchant"], ...definition }, messageContextSchema);
}

/** A command that an operator's request leads to. */
export function defineOperatorCommand<Request extends z.ZodType, Result extends z.ZodType>(
  definition: CommandDefinition<Request, Result> & { role: OperatorRole; recentSignIn?: true },
): Command<Request, Result, OperatorMessageContext> {
  const { role, recentSignIn } = definition;
  const operators = { senders: ["gateway-operator"] as const, ...definition };
  return { ...command(operators, operatorMessageContextSchema), role, recentSignIn };
}

/** A merchant's or an operator's command as a merchant's staff may send it: about their own merchant. */
export function defineStaffCommand<Request extends z.ZodType, Result extends z.ZodType>(
  { role: _role, ...of }: Command<Request, Result, MessageContext | OperatorMessageContext>,
  { staffRole, recentSignIn }: { staffRole: StaffRole; recentSignIn: true | undefined },
): Command<Request, Result, StaffMessageContext> {
  const name = `staff-${of.name}`;
  return {
    ...of,
    name,
    subject: `${of.service}.${name}`,
    senders: ["gateway-staff"],
    context: staffMessageContextSchema,
    staffRole,
    recentSignIn,
  };
}

/** A command of one service to another. */
export function defineServiceCommand<Request extends z.ZodType, Result extends z.ZodType>(
  definition: CommandDefinition<Request, Result> & { senders: readonly BusUser[] },
): Command<Request, Result, ServiceContext> {
  return command(definition, serviceContextSchema);
}

function command<Request extends z.ZodType, Result extends z.ZodType, C extends CommandContext>(
  {
    service,
    name,
    request,
    result,
    senders,
    work = "external",
  }: CommandDefinition<Request, Result> & { senders: readonly BusUser[] },
  context: z.ZodType<C>,
): Command<Request, Result, C> {
  const reply = z.discriminatedUnion("outcome", [
    z.object({ outcome: z.enum(["done", "pending"]), result, replayed: z.literal(true).optional() }),
    z.object({
      outcome: z.literal("problem"),
      code: z.enum(PROBLEM_CODES),
      detail: z.string().optional(),
      extra: z.record(z.string(), z.unknown()).optional(),
      replayed: z.literal(true).optional(),
    }),
    z.object({ outcome: z.literal("not_started") }),
    z.object({ outcome: z.literal("in_doubt") }),
  ]);
  return {
    service,
    name,
    subject: `${service}.${name}`,
    senders,
    work,
    context,
    request,
    reply: reply as z.ZodType<CommandReply<z.infer<Result>>>,
  };
}
