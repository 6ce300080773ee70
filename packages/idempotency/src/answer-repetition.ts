import type { CommandReply } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { decideReplay, type RequestIdentity } from "./decide-replay.ts";
import { findIdempotencyKey, type KeyOwner } from "./idempotency-key-queries.ts";
import type { IdempotencyDatabase } from "./idempotency-key-table.ts";

/** The answers that only the service can give. */
export type RepetitionAnswers<Reply> = {
  /** Answers if the key is no longer taken. */
  free: () => Reply | Promise<Reply>;
  /** The gateway sent this very request again, and the first of the two has no answer yet. */
  copy: () => Reply | Promise<Reply>;
  /** The merchant's first request under the key has no answer yet. */
  unfinished: (resourceId: string) => Reply | Promise<Reply>;
};

/**
 * Answers a request whose Idempotency-Key was used before: with the stored answer, with a refusal if the key
 * was used for another request, or as the service decides if there is no answer yet.
 */
export async function answerRepetition<DB extends IdempotencyDatabase, Result, Missing = never>(
  db: Kysely<DB>,
  owner: KeyOwner,
  mine: RequestIdentity,
  answers: RepetitionAnswers<CommandReply<Result> | Missing>,
): Promise<CommandReply<Result> | Missing> {
  const taken = await findIdempotencyKey(db, owner);
  if (!taken) return await answers.free();
  const decision = decideReplay(taken, mine);
  switch (decision.kind) {
    case "copy": {
      const reply = await answers.copy();
      // The record may have changed since the first answer, which is the only one under the key.
      const answered = await findIdempotencyKey(db, owner);
      const first = answered && decideReplay(answered, mine);
      return first?.kind === "answer" ? replay(first) : reply;
    }
    case "reused":
      return { outcome: "problem", code: "idempotency_key_reused" };
    case "answer":
      return replay(decision);
    case "unfinished":
      return await answers.unfinished(decision.resourceId);
    default:
      return decision satisfies never;
  }
}

/** A stored reply, marked as a repetition and otherwise unchanged. */
export function replay<Result>({
  json,
  replayed,
}: {
  json: string;
  replayed: boolean;
}): CommandReply<Result> {
  const reply = JSON.parse(json) as Extract<CommandReply<Result>, { outcome: "done" | "problem" }>;
  return replayed ? { ...reply, replayed } : reply;
}
