import {
  permitsOf,
  type Command,
  type CommandContext,
  type CommandReply,
  type HandlerContext,
  type MessageContext,
  type Permits,
} from "@holdfast/contracts";
import {
  annotate,
  context,
  countingTimeElsewhere,
  failSpan,
  formatTraceparent,
  inSpan,
  lazyHistogram,
  parseTraceparent,
  remoteContext,
  SpanKind,
  timeElsewhere,
  UNKNOWN_OUTCOME,
} from "@holdfast/telemetry";
import { createSharedPermits, permitsOfOne, type Release } from "@holdfast/service-runtime";
import type { Msg } from "@nats-io/transport-node";
import type { z } from "zod";
import {
  createAdmission,
  type Admit,
  type AdmitOperators,
  type AdmitStaff,
  type RefusedOperator,
} from "./admit-operator.ts";
import { answersTo, mayBeAnswered, type Answers } from "./answers.ts";
import type { Bus } from "./connect.ts";
import { messagingAttributes } from "./messaging-attributes.ts";
import { createQueueGroup } from "./queue-group.ts";
import { decodeMessage, TRACEPARENT_HEADER } from "./wire.ts";
import { within } from "./within.ts";

/** A command with its context, as a handler gets it. */
export type Incoming<Request, Context = MessageContext> = {
  context: Context;
  traceparent: string | undefined;
  payload: Request;
};

/** A command with the function that carries it out. */
export type Handler = {
  command: Command;
  handle: (incoming: Incoming<never, never>) => Promise<CommandReply<unknown>>;
};

/** Binds a command to its handler; the types of both come from the contract. */
export function handler<Request extends z.ZodType, Result extends z.ZodType, Context extends CommandContext>(
  command: Command<Request, Result, Context>,
  handle: (
    incoming: Incoming<z.infer<Request>, HandlerContext<Context>>,
  ) => Promise<CommandReply<z.infer<Result>>>,
): Handler {
  return { command, handle };
}

export type ServeOptions = {
  service: string;
  handlers: Handler[];
  /** The commands that may be under way in this process; one more is answered `not_started`. */
  permits: Permits;
  /** The share of the permits that commands of one merchant may have; without it, all. */
  share?: number;
  /** The admission of operators' commands; needed where there are any. */
  operators?: AdmitOperators;
  /** The admission of the commands of merchants' staff; without it all are refused. */
  staff?: AdmitStaff | undefined;
  /** The clock; while it is off, no command is begun. */
  clock?: { isOff(): boolean; onChange(listener: () => void): void };
  /** Called once per message, after its answer, for the log and metrics. */
  onHandled: (handled: Handled) => void;
};

export type Handled = {
  subject: string;
  /** Undefined for a message that could not be read. An operator's token is not in it. */
  context: { requestId: string; merchantId: string | undefined } | undefined;
  /** The person who asked without the right to. */
  actor?: string;
  outcome: CommandReply<unknown>["outcome"] | Refused | RefusedOperator["outcome"] | "rejected" | "failed";
  durationMs: number;
  error?: unknown;
};

/** The certain reasons why a command was not begun. */
type Refused = "overloaded" | "clock_off" | "past_deadline";

export type Serving = {
  /** Takes no new messages, waits for those under way, at most `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
};

/**
 * Serves commands in one queue group, so that any number of replicas share the work. Each message is parsed
 * once, here, and always answered: after an unexpected throw the caller's outcome is `in_doubt`. An
 * operator's command is begun only with the token of a person whose roles allow it (see `admitOperator`).
 * Resolves when the server has accepted the subscriptions, however often the connection breaks before.
 *
 * While `clock` is off, this process leaves the group: otherwise the server would still send it its share of
 * messages, which other replicas could handle. A message that has arrived by then is answered `not_started`.
 *
 * @throws ServingRefusedError
 */
export async function serve(
  bus: Bus,
  { service, handlers, permits, share = 1, operators, staff, clock, onHandled }: ServeOptions,
): Promise<Serving> {
  const admit = createAdmission(handlers, operators, staff);
  const underway = { external: new Set<Promise<void>>(), local: new Set<Promise<void>>() };
  const report = (handled: Handled) => {
    const { subject, outcome, durationMs } = handled;
    recordDuration(durationMs, { ...messagingAttributes(subject, "process"), "holdfast.outcome": outcome });
    recordOwnTime(Math.max(0, durationMs - timeElsewhere()), { "messaging.destination.name": subject });
    onHandled(handled);
  };
  const sharedOf = (max: number) => createSharedPermits({ max, ofOneMax: permitsOfOne(max, share) });
  const shared = { external: sharedOf(permits.external), local: sharedOf(permits.local) };
  const take = (message: Msg, { command, handle }: Handler) => {
    const kind = permitsOf(command.work);
    const takePermit = (context: CommandContext): Release | Refused => {
      if (clock?.isOff()) return "clock_off";
      if (Date.now() > context.deadlineAt) return "past_deadline";
      return shared[kind].take(merchantOf(context)) ?? "overloaded";
    };
    const run = traced(message, (traceparent) =>
      answer(
        { message, traceparent, answers: answersTo(bus, message) },
        { command, handle },
        { admit, takePermit },
        report,
      ),
    );
    underway[kind].add(run);
    void run.finally(() => underway[kind].delete(run));
  };
  const subjects = handlers.map((each) => ({
    subject: each.command.subject,
    handle: (message: Msg) => take(message, each),
  }));
  const group = createQueueGroup(bus, { name: service, subjects });
  let stopped = false;
  const followClock = async () => {
    if (clock?.isOff() || stopped) await group.leave();
    else await group.join();
  };
  // A change fails only when the connection has been closed for good.
  clock?.onChange(() => void followClock().catch(() => {}));
  await followClock();
  return {
    async stop(timeoutMs) {
      stopped = true;
      await within(Math.max(timeoutMs, LEAVE_TIMEOUT_MS), group.leave());
      await within(timeoutMs, Promise.allSettled([...underway.external, ...underway.local]));
    },
  };
}

/** Commands that services send for themselves, or operators, count for no merchant's share. */
function merchantOf(context: CommandContext): string | undefined {
  return "merchant" in context ? context.merchant.merchantId : undefined;
}

/** While the bus is down, leaving waits for the next connection. */
const LEAVE_TIMEOUT_MS = 1_000;

const recordDuration = lazyHistogram(
  "messaging",
  "messaging.process.duration",
  "Duration of commands, by subject and outcome",
);

const recordOwnTime = lazyHistogram(
  "messaging",
  "holdfast.command.own_time",
  "Duration of commands less what they waited for a bank, by subject",
);

/**
 * Runs in a span that continues the caller's trace; `run` gets the trace context to store and send along. A message
 * without a trace is upkeep between services and gets no span.
 */
async function traced(
  message: Msg,
  run: (traceparent: string | undefined) => Promise<Handled>,
): Promise<void> {
  const traceparent = traceparentIn(message);
  if (!parseTraceparent(traceparent))
    return void (await context.with(countingTimeElsewhere(), run, undefined, traceparent));
  const options = {
    kind: SpanKind.SERVER,
    parent: countingTimeElsewhere(remoteContext(traceparent)),
    attributes: messagingAttributes(message.subject, "process"),
  };
  await inSpan(`process ${message.subject}`, options, async (span) => {
    const { context: sent, outcome } = await run(formatTraceparent(span.spanContext()));
    if (!span.isRecording()) return;
    annotate(
      {
        "holdfast.outcome": outcome === "pending" ? UNKNOWN_OUTCOME : outcome,
        "holdfast.request.id": sent?.requestId,
        "holdfast.merchant.id": sent?.merchantId,
      },
      span,
    );
    if (FAILURES.has(outcome)) failSpan(span, outcome);
  });
}

/** The client decodes headers when they are asked for, and throws on those that it would not send. */
function traceparentIn(message: Msg): string | undefined {
  try {
    return message.headers?.get(TRACEPARENT_HEADER) || undefined;
  } catch {
    return undefined;
  }
}

const FAILURES: ReadonlySet<string> = new Set([
  "rejected",
  "failed",
  "overloaded",
  "clock_off",
  "past_deadline",
  "unverifiable",
]);

type Received = { message: Msg; traceparent: string | undefined; answers: Answers };

async function answer(
  { message, traceparent, answers: { respond, fail } }: Received,
  { command, handle }: Handler,
  { admit, takePermit }: { admit: Admit; takePermit: (context: CommandContext) => Release | Refused },
  onHandled: ServeOptions["onHandled"],
): Promise<Handled> {
  const started = performance.now();
  let context: Handled["context"];
  const finish = (outcome: Handled["outcome"], more: Pick<Handled, "actor" | "error"> = {}): Handled => {
    const durationMs = performance.now() - started;
    const handled: Handled = { subject: command.subject, context, outcome, durationMs, ...more };
    onHandled(handled);
    return handled;
  };
  // The server lets us answer every sender of any of our commands, and does not check which command this is.
  if (!mayBeAnswered(command, message.reply)) return finish("rejected");
  try {
    const { context: rawContext, payload: rawPayload } = decodeMessage(message);
    const parsedContext = command.context.safeParse(rawContext);
    const payload = command.request.safeParse(rawPayload);
    if (!parsedContext.success || !payload.success) {
      fail("rejected");
      return finish("rejected");
    }
    context = namesIn(parsedContext.data);
    const permit = takePermit(parsedContext.data);
    if (typeof permit === "string") {
      await respond(NOT_STARTED);
      return finish(permit);
    }
    try {
      const admitted = await admit(command, parsedContext.data);
      if ("reply" in admitted) {
        const { reply, outcome, ...more } = admitted;
        await respond(reply);
        return finish(outcome, more);
      }
      // The deadline may have passed while the operators' keys were read.
      if (Date.now() > admitted.context.deadlineAt) {
        await respond(NOT_STARTED);
        return finish("past_deadline");
      }
      // A handler takes what its own command's schemas have just parsed.
      const incoming = { context: admitted.context as never, traceparent, payload: payload.data as never };
      const reply = await handle(incoming);
      await respond(reply);
      return finish(reply.outcome);
    } finally {
      permit();
    }
  } catch (error) {
    fail("failed");
    return finish("failed", { error });
  }
}

/** The parts of a context that may be logged. */
function namesIn(context: CommandContext): Handled["context"] {
  const merchantId = "merchant" in context ? context.merchant.merchantId : undefined;
  return { requestId: context.requestId, merchantId };
}

const NOT_STARTED: CommandReply<never> = { outcome: "not_started" };
