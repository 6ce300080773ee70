import { z } from "zod";
import { commissionPlanSchema } from "../http/merchants.ts";
import { PROBLEM_CODES } from "../problem.ts";

/**
 * What every command on the bus carries beside its own fields: who it is for and until when it may be begun. W3C trace
 * context travels in the message's headers.
 */
export const messageContextSchema = z.object({
  requestId: z.string(),
  /** Epoch milliseconds; a handler refuses a message past it. */
  deadlineAt: z.number(),
  merchant: z.object({ merchantId: z.uuid(), commission: commissionPlanSchema.optional() }),
});
export type MessageContext = z.infer<typeof messageContextSchema>;

/** A request-reply subject with its schemas. One constant names it on both sides. */
export type Command<Request extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> = {
  /** NATS service that serves it. */
  service: string;
  /** Endpoint name in the NATS services framework. */
  name: string;
  subject: string;
  request: Request;
  reply: z.ZodType<CommandReply<z.infer<Result>>>;
};

/**
 * How a command ended, as the gateway must answer it:
 * `done` carried out, the result is final for this request; `pending` begun, the outcome at the bank is not known yet;
 * `problem` refused, nothing changed; `not_started` nothing happened and nothing will; `in_doubt` it may have happened.
 */
export type CommandReply<Result> =
  | { outcome: "done" | "pending"; result: Result }
  | {
      outcome: "problem";
      code: (typeof PROBLEM_CODES)[number];
      detail?: string | undefined;
      extra?: Record<string, unknown> | undefined;
    }
  | { outcome: "not_started" }
  | { outcome: "in_doubt" };

export function defineCommand<Request extends z.ZodType, Result extends z.ZodType>(command: {
  service: string;
  name: string;
  request: Request;
  result: Result;
}): Command<Request, Result> {
  const { result, ...rest } = command;
  return {
    ...rest,
    subject: `${command.service}.${command.name}`,
    reply: z.discriminatedUnion("outcome", [
      z.object({ outcome: z.enum(["done", "pending"]), result }),
      z.object({
        outcome: z.literal("problem"),
        code: z.enum(PROBLEM_CODES),
        detail: z.string().optional(),
        extra: z.record(z.string(), z.unknown()).optional(),
      }),
      z.object({ outcome: z.literal("not_started") }),
      z.object({ outcome: z.literal("in_doubt") }),
    ]) as z.ZodType<CommandReply<z.infer<Result>>>,
  };
}
