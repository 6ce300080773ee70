import { DEFAULT_INBOX_PREFIX, inboxPrefix, OBSERVER, type Command } from "@holdfast/contracts";
import type { ServiceMsg } from "@nats-io/services";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { z } from "zod";
import { ANSWERS_TO_HEADER, contentOf, FAILURE_HEADER, TRACEPARENT_HEADER } from "./wire.ts";

/** A command as its service gets it, alone or of a list. */
export type ReceivedCommand = {
  /** The subject of its answer; undefined where it has none. */
  answersTo: string | undefined;
  traceparent: string | undefined;
  /** The sender's message, unchecked. */
  message: { json(): unknown };
  respond: (reply: string) => void;
  fail: (kind: "rejected" | "failed") => void;
  /** Resolves when the answers are with the client of the bus. */
  answered: () => Promise<void>;
};

/** Takes longer lists than a sender of this version makes. */
const listSchema = z
  .array(z.object({ id: z.int(), traceparent: z.string().optional(), message: z.unknown() }))
  .min(1)
  .max(1_000);

export function isList(message: ServiceMsg): boolean {
  return message.headers?.has(ANSWERS_TO_HEADER) ?? false;
}

/** Reads a list and tells its sender whether it could be read. @returns undefined when it could not. */
export function commandsIn(
  message: ServiceMsg,
  command: Command,
  answersOf: (inbox: string) => AnswerList,
): ReceivedCommand[] | undefined {
  const inbox = message.headers!.get(ANSWERS_TO_HEADER);
  const answers = answersOf(inbox);
  const listed = listSchema.safeParse(contentOf(message)).data;
  if (mayBeAnswered(command, message.reply))
    message.respond("", listed ? {} : { headers: failure("rejected") });
  return listed?.map(({ id, traceparent, message: content }) => ({
    answersTo: inbox,
    traceparent,
    message: { json: () => content },
    respond: (reply) => answers.add(`{"id":${id},"reply":${reply}}`),
    fail: (kind) => answers.add(`{"id":${id},"failure":"${kind}"}`),
    answered: () => answers.published(),
  }));
}

export function aloneOf(message: ServiceMsg): ReceivedCommand {
  return {
    answersTo: message.reply,
    traceparent: message.headers?.get(TRACEPARENT_HEADER) || undefined,
    message,
    respond: (reply) => void message.respond(reply),
    fail: (kind) => void message.respond("", { headers: failure(kind) }),
    answered: async () => {},
  };
}

function failure(kind: "rejected" | "failed") {
  const result = headers();
  result.set(FAILURE_HEADER, kind);
  return result;
}

/** Answers to one inbox; those of one turn are one message, or several where they are long. */
export type AnswerList = { add(answer: string): void; published(): Promise<void> };

export function createAnswerLists(nats: NatsConnection): (inbox: string) => AnswerList {
  const gathered = new Map<string, { answers: string[]; length: number }>();
  let publishing: Promise<void> = Promise.resolve();
  const publish = (inbox: string) => {
    const list = gathered.get(inbox);
    gathered.delete(inbox);
    if (!list) return;
    try {
      nats.publish(inbox, `[${list.answers.join(",")}]`);
    } catch {
      // The connection is closed for good: the senders' commands are in doubt.
    }
  };
  const publishThisTurn = (inbox: string) => {
    publishing = new Promise((resolve) => {
      setImmediate(() => {
        publish(inbox);
        resolve();
      });
    });
  };
  return (inbox) => ({
    add(answer) {
      const list = gathered.get(inbox);
      if (list && list.length + answer.length <= ANSWERS_LENGTH_MAX) {
        list.answers.push(answer);
        list.length += answer.length;
        return;
      }
      publish(inbox);
      gathered.set(inbox, { answers: [answer], length: answer.length });
      publishThisTurn(inbox);
    },
    published: () => publishing,
  });
}

/** Characters of the answers in one message, which nats-server would refuse above a megabyte. */
const ANSWERS_LENGTH_MAX = 128 * 1_024;

/**
 * Tells whether the answer goes to an inbox of the command's own senders (or of the observer). NATS does not check the
 * reply subject of a message: without this check a sender could make the handler publish to any subject that the
 * handler may use. The check also refuses messages that JetStream delivers as itself, to any subject that a stream or
 * consumer was set up with: they have no reply subject, or one of JetStream's.
 */
export function mayBeAnswered({ senders }: Command, reply = ""): boolean {
  const prefixes = [...senders.map(inboxPrefix), inboxPrefix(OBSERVER), DEFAULT_INBOX_PREFIX];
  return prefixes.some((prefix) => reply.startsWith(`${prefix}.`));
}
