import type { CommandReply, MessageContext } from "@holdfast/contracts";
import {
  answerRepetition,
  storeAnswer,
  takeIdempotencyKey,
  type RequestIdentity,
} from "@holdfast/idempotency";
import { orNotStarted } from "@holdfast/postgres";
import type { Kysely, Transaction } from "kysely";
import type { PaymentsDatabase } from "../../database.ts";

/**
 * Writes something that involves no bank, with its Idempotency-Key and the key's answer, in one transaction.
 * A result that may succeed a moment later (`repeatable`) is rolled back with its key, so nothing is stored.
 *
 * @param write has no effect of its own if a copy of the message was carried out.
 */
export async function withIdempotencyKey<Result>(
  db: Kysely<PaymentsDatabase>,
  context: MessageContext,
  taking: RequestIdentity,
  write: (trx: Transaction<PaymentsDatabase>) => Promise<CommandReply<Result>>,
  repeatable: (reply: CommandReply<Result>) => boolean = () => false,
): Promise<CommandReply<Result>> {
  const { merchantId } = context.merchant;
  const key = context.idempotency && { merchantId, ...context.idempotency };
  const written = await orNotStarted(async (): Promise<CommandReply<Result> | "taken"> => {
    try {
      return await db.transaction().execute(async (trx) => {
        if (key && !(await takeIdempotencyKey(trx, key, taking))) return "taken";
        const reply = await write(trx);
        if (repeatable(reply)) throw new RollBack(reply);
        if (key) await storeAnswer(trx, taking.resourceId, reply);
        return reply;
      });
    } catch (error) {
      if (error instanceof RollBack) return error.reply as CommandReply<Result>;
      throw error;
    }
  });
  if (written !== "taken") return written;
  // The key and its answer are written together, so a key without an answer was purged between two
  // statements, and is free in a moment.
  const inUse = (): CommandReply<Result> => ({ outcome: "problem", code: "idempotency_key_in_use" });
  const copy = () => db.transaction().execute(write);
  return await answerRepetition(db, key!, taking, { free: inUse, copy, unfinished: inUse });
}

/** Rolls back. */
class RollBack extends Error {
  override name = "RollBack";
  readonly code = "roll_back";
  readonly reply: unknown;

  constructor(reply: unknown) {
    super("nothing is kept of this request");
    this.reply = reply;
  }
}
