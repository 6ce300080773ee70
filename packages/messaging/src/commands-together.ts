import type { NatsConnectionImpl } from "@nats-io/nats-core/internal";
import { createInbox, headers, TimeoutError, type NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import { answerOf, ANSWERS_TO_HEADER, contentOf, TRACEPARENT_HEADER, type Answer } from "./wire.ts";

/**
 * Commands of one subject that leave in one turn of the event loop travel in one message, and so do answers of one
 * turn: under load a message costs each process that it passes as much as a command. A command that leaves alone is a
 * message of its own. In a list each command keeps its id at its service, its deadline, its trace, and an answer of its
 * own, which waits for no other's.
 */
export type CommandToSend = { data: string; timeoutMs: number; traceparent: string };

type Waiting = CommandToSend & {
  endsAt: number;
  timer?: NodeJS.Timeout;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
};

/**
 * Sends a command, together with those of the same turn.
 *
 * @returns the answer; it is rejected as the client's `request` is.
 */
export async function sendTogether(
  nats: NatsConnection,
  subject: string,
  command: CommandToSend,
): Promise<Answer> {
  return await batchOf(nats, subject).send(command);
}

/** A message of one command. */
export async function sendAlone(
  nats: NatsConnection,
  subject: string,
  { data, timeoutMs, traceparent }: CommandToSend,
): Promise<Answer> {
  const messageHeaders = headers();
  messageHeaders.set(TRACEPARENT_HEADER, traceparent);
  return answerOf(await nats.request(subject, data, { timeout: timeoutMs, headers: messageHeaders }));
}

const batches = new WeakMap<NatsConnection, Map<string, SubjectBatch>>();

function batchOf(nats: NatsConnection, subject: string): SubjectBatch {
  const ofConnection = batches.get(nats) ?? new Map<string, SubjectBatch>();
  batches.set(nats, ofConnection);
  const batch = ofConnection.get(subject) ?? new SubjectBatch(nats, subject);
  ofConnection.set(subject, batch);
  return batch;
}

/** The commands of one subject. */
class SubjectBatch {
  readonly #nats: NatsConnection;
  readonly #subject: string;
  #gathered: Waiting[] = [];
  readonly #underway = new Map<number, Waiting>();
  #lastId = 0;
  #inbox: string | undefined;

  constructor(nats: NatsConnection, subject: string) {
    this.#nats = nats;
    this.#subject = subject;
  }

  send(command: CommandToSend): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const endsAt = performance.now() + command.timeoutMs;
    if (this.#gathered.push({ ...command, endsAt, resolve, reject }) === 1) setImmediate(() => this.#flush());
    return promise;
  }

  #flush(): void {
    const commands = this.#gathered;
    this.#gathered = [];
    if (commands.length === 1) return this.#sendAlone(commands[0]!);
    for (const list of inLists(commands)) void this.#sendList(list);
  }

  #sendAlone({ endsAt, resolve, reject, ...command }: Waiting): void {
    const timeoutMs = endsAt - performance.now();
    if (timeoutMs <= 0) return reject(new TimeoutError());
    sendAlone(this.#nats, this.#subject, { ...command, timeoutMs }).then(resolve, reject);
  }

  /** Sends a list. Its receipt says that a service has read it, and so that the subject is served. */
  async #sendList(commands: Waiting[]): Promise<void> {
    const ids = commands.map((command) => this.#await(command));
    const listed = commands.map(
      ({ traceparent, data }, index) =>
        `{"id":${ids[index]},"traceparent":${JSON.stringify(traceparent)},"message":${data}}`,
    );
    const messageHeaders = headers();
    const timeout = Math.max(...commands.map(({ timeoutMs }) => timeoutMs));
    try {
      messageHeaders.set(ANSWERS_TO_HEADER, (this.#inbox ??= this.#listen()));
      const receipt = answerOf(
        await this.#nats.request(this.#subject, `[${listed.join(",")}]`, {
          timeout,
          headers: messageHeaders,
        }),
      );
      // A list that cannot be read is refused whole, and none of its commands was begun.
      if (receipt.failure) for (const { resolve } of this.#take(ids)) resolve(receipt);
    } catch (error) {
      // Each command waits for its own answer and by its own time, even if the receipt is missing.
      if (error instanceof TimeoutError) return;
      for (const { reject } of this.#take(ids)) reject(error);
    }
  }

  /** @returns the id of its answer. */
  #await(command: Waiting): number {
    const id = ++this.#lastId;
    command.timer = setTimeout(() => {
      this.#take([id]);
      command.reject(new TimeoutError());
    }, command.timeoutMs);
    this.#underway.set(id, command);
    return id;
  }

  /** Takes out the commands of these that have no answer yet; they are waited for no longer. */
  #take(ids: number[]): Waiting[] {
    return ids.flatMap((id) => {
      const command = this.#underway.get(id);
      if (!command) return [];
      this.#underway.delete(id);
      clearTimeout(command.timer);
      return [command];
    });
  }

  #listen(): string {
    // The inbox is under this user's prefix, where no other user may listen.
    const inbox = createInbox((this.#nats as NatsConnectionImpl).options.inboxPrefix);
    this.#nats.subscribe(inbox, {
      callback: (error, message) => {
        if (error) return;
        for (const { id, reply, failure } of answersIn(message))
          for (const { resolve } of this.#take([id])) resolve({ failure, json: () => reply });
      },
    });
    return inbox;
  }
}

/** Most commands in one message, and roughly their characters. */
const LISTED_MAX = 32;
const LIST_LENGTH_MAX = 128 * 1_024;

function inLists(commands: Waiting[]): Waiting[][] {
  const lists: Waiting[][] = [];
  let length = Infinity;
  for (const command of commands) {
    const last = lists.at(-1);
    length += command.data.length;
    if (last && last.length < LISTED_MAX && length <= LIST_LENGTH_MAX) last.push(command);
    else {
      lists.push([command]);
      length = command.data.length;
    }
  }
  return lists;
}

const answersSchema = z.array(
  z.object({
    id: z.int(),
    reply: z.unknown().optional(),
    failure: z.enum(["rejected", "failed"]).optional(),
  }),
);

/**
 * The answers in a message; none if it is no list. The commands that it may have been about are in doubt at their time.
 */
function answersIn(message: { json(): unknown }): z.infer<typeof answersSchema> {
  return answersSchema.safeParse(contentOf(message)).data ?? [];
}
