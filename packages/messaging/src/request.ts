import { setTimeout as delay } from "node:timers/promises";
import type { Command, CommandContext, CommandReply } from "@holdfast/contracts";
import {
  ClosedConnectionError,
  DrainingConnectionError,
  headers,
  NoRespondersError,
  PermissionViolationError,
  RequestError,
  TimeoutError,
} from "@nats-io/transport-node";
import type { z } from "zod";
import type { Bus } from "./connect.ts";
import { traceRequest } from "./trace-request.ts";
import { encodeMessage, FAILURE_HEADER, TRACEPARENT_HEADER } from "./wire.ts";
import { within } from "./within.ts";

/** A bug on one of the two sides: the handler could not parse the message. Nothing was started. */
export class MessageRejectedError extends Error {
  override name = "MessageRejectedError";
  readonly code = "message_rejected";
}

export type RequestOptions = {
  /**
   * The end of the wait, in epoch milliseconds; later than the context's deadline by the time that an answer takes to
   * arrive.
   */
  waitUntil: number;
  /** W3C trace context (https://www.w3.org/TR/trace-context/). */
  traceparent: string;
  /**
   * Sends the command at most once, for a handler that would carry out a copy, too: a broken connection is `in_doubt`.
   */
  once?: boolean;
};

/**
 * Sends a command and waits for its answer. The outcome is `not_started` only if certainly no handler has
 * seen or will see it: no process serves the subject, or the bus was down before anything was sent. If the
 * connection breaks during the wait, the same message is sent again after the reconnect (handlers answer a
 * copy from the first one's row), and from then on every failure is `in_doubt`. A command that only reads is
 * never `in_doubt`, since it can be repeated after any failure.
 */
export async function request<
  Request extends z.ZodType,
  Result extends z.ZodType,
  Context extends CommandContext,
>(
  bus: Bus,
  command: Command<Request, Result, Context>,
  context: Context,
  payload: z.input<Request>,
  { waitUntil, traceparent, once = false }: RequestOptions,
): Promise<CommandReply<z.infer<Result>>> {
  return await traceRequest(command.subject, traceparent, async (traceparent) => {
    const reply = await send(bus, command, encodeMessage(context, payload), {
      waitUntil,
      traceparent,
      once,
    });
    return reply.outcome === "in_doubt" && command.work === "read" ? { outcome: "not_started" } : reply;
  });
}

async function send<Result extends z.ZodType>(
  bus: Bus,
  command: Pick<Command<z.ZodType, Result>, "subject" | "reply">,
  data: string,
  { waitUntil, traceparent, once }: RequestOptions,
): Promise<CommandReply<z.infer<Result>>> {
  const messageHeaders = headers();
  messageHeaders.set(TRACEPARENT_HEADER, traceparent);
  // The wait goes by the monotonic clock from here on, so that a correction of the machine's time does not end it.
  const endsAt = performance.now() + (waitUntil - Date.now());

  for (let sends = 0; ; sends++) {
    const gaveUp: CommandReply<never> = { outcome: sends === 0 ? "not_started" : "in_doubt" };
    if (!bus.connected && (sends === 0 || !(await within(endsAt - performance.now(), bus.connection()))))
      return gaveUp;
    const timeoutMs = endsAt - performance.now();
    // The client refuses to wait for less than a millisecond.
    if (timeoutMs < 1) return gaveUp;
    const options = { timeout: timeoutMs, headers: messageHeaders };
    const answer = bus.byTurn(() => bus.nats.request(command.subject, data, options));
    try {
      const answered = await unlessDisconnected(bus, answer);
      if (!answered) {
        answer.catch(() => {}); // its reply can no longer arrive
        if (once) return { outcome: "in_doubt" };
        continue;
      }
      const failure = answered.headers?.get(FAILURE_HEADER);
      if (failure === "rejected") {
        throw new MessageRejectedError(`${command.subject}: the handler could not read the message`);
      }
      if (failure) return { outcome: "in_doubt" };
      const reply = command.reply.parse(answered.json());
      // A copy that was not begun (it came too late, or the handler was full) proves nothing about the first
      // message.
      return reply.outcome === "not_started" ? gaveUp : reply;
    } catch (error) {
      if (wasNotSent(error)) {
        if (sends === 0 || bus.nats.isClosed()) return gaveUp;
        // After a restart of the server the handler's service may reconnect a moment later than we did.
        await delay(RESEND_PAUSE_MS);
        continue;
      }
      if (error instanceof TimeoutError || error instanceof RequestError) return { outcome: "in_doubt" };
      throw error;
    }
  }
}

/** Resolves as `answer` does, or to undefined once the connection breaks. */
async function unlessDisconnected<Answer>(bus: Bus, answer: Promise<Answer>): Promise<Answer | undefined> {
  const broken = Promise.withResolvers<undefined>();
  const forget = bus.onDisconnection(() => broken.resolve(undefined));
  try {
    return await Promise.race([answer, broken.promise]);
  } finally {
    forget();
  }
}

const RESEND_PAUSE_MS = 100;

/** The server answered that no process serves the subject or that we may not use it, or this client is closing. */
function wasNotSent(error: unknown): boolean {
  const cause = error instanceof RequestError ? error.cause : error;
  return (
    cause instanceof NoRespondersError ||
    cause instanceof PermissionViolationError ||
    cause instanceof ClosedConnectionError ||
    cause instanceof DrainingConnectionError
  );
}
