import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { holdUnanswered, replyText } from "./reply.ts";

/** An HTTP answer. */
export type Reply = { status: number; contentType: string; body: string | Buffer };

/**
 * The form of a protocol's answers. `bend` applies `wrong_amount`, `control_characters` and the protocol's
 * own faults.
 */
export type Wire<Answer> = {
  write: (answer: Answer) => Reply;
  bend: (answer: Answer, behaviour: string) => Answer;
  /** The body of the fault `garbage`. */
  garbage: Reply;
  /** The answer of the fault `http_500`. */
  broken: Reply;
};

export type Lateness = {
  hangMs: number;
  latenessMs: number;
  /** Aborted when the simulator stops: late answers and late effects are dropped then. */
  stopping: AbortSignal;
};

/** The result of a call: an answer that faults bend, or a reply that goes out as it is. */
export type Done<Answer> = { answer: Answer } | { reply: Reply };

/** A call with the fault that waits for it. It is late after `dueAtMs` (epoch milliseconds), or else after its arrival. */
export type Work<Answer> = { behaviour: string; dueAtMs?: number; carryOut: () => Promise<Done<Answer>> };

/** Carries a call out and answers it as its behaviour requires. */
export async function serveCall<Answer>(
  response: ServerResponse,
  wire: Wire<Answer>,
  lateness: Lateness,
  work: Work<Answer>,
): Promise<void> {
  const done = await inItsTime(lateness, work);
  if (!done) return holdUnanswered(response, lateness.hangMs);
  if ("reply" in done) return send(response, done.reply);
  deliver(response, wire, lateness, work.behaviour, done.answer);
}

/**
 * Carries a call out at the time of its behaviour. @returns undefined for a call that hangs before it has an
 * effect
 */
export async function inItsTime<Answer>(
  lateness: Lateness,
  { behaviour, dueAtMs, carryOut }: Work<Answer>,
): Promise<Done<Answer> | undefined> {
  if (behaviour === "hang_before") return undefined;
  if (behaviour === "late_effect") await untilLate(lateness, dueAtMs);
  const done = await carryOut();
  if (behaviour === "late" && "answer" in done) await untilLate(lateness, dueAtMs);
  return done;
}

/** Waits until a caller has given up; rejects when the simulator stops. */
function untilLate({ latenessMs, stopping }: Lateness, dueAtMs = Date.now()): Promise<void> {
  return sleep(Math.max(0, dueAtMs + latenessMs - Date.now()), undefined, { signal: stopping });
}

/** Answers as the behaviour requires; its influence on the effect and the time has been applied before. */
export function deliver<Answer>(
  response: ServerResponse,
  wire: Wire<Answer>,
  { hangMs }: Pick<Lateness, "hangMs">,
  behaviour: string,
  answer: Answer,
): void {
  switch (behaviour) {
    case "hang":
      return holdUnanswered(response, hangMs);
    case "http_500":
      return send(response, wire.broken);
    case "garbage":
      return send(response, wire.garbage);
    case "reset":
      response.socket?.resetAndDestroy();
      return;
    case "interim":
      sendInterim(response);
      return send(response, wire.write(wire.bend(answer, behaviour)));
    case "long_head":
      response.setHeader("x-trace", "t".repeat(LONG_HEAD_BYTES));
      return send(response, wire.write(wire.bend(answer, behaviour)));
    default:
      return send(response, wire.write(wire.bend(answer, behaviour)));
  }
}

export function jsonReply(body: object, status = 200): Reply {
  return { status, contentType: "application/json", body: JSON.stringify(body) };
}

/** Sends what a client did not ask for and has to read over: 100, 102 and 103, the last one twice. */
function sendInterim(response: ServerResponse): void {
  response.writeContinue();
  response.writeProcessing();
  for (let count = 0; count < 2; count += 1) response.writeEarlyHints({ link: "</>; rel=preload" });
}

/** Together with the other lines more than the 16 KiB that Node's own client takes. */
const LONG_HEAD_BYTES = 17 * 1_024;

function send(response: ServerResponse, { status, contentType, body }: Reply): void {
  replyText(response, status, contentType, body);
}
