import type { IncomingMessage, ServerResponse } from "node:http";

import { z } from "zod";

import type { Bank, Timed } from "./bank.ts";
import { readBody } from "./read-body.ts";
import { parse, parseJson, readRequest, type Parsed } from "./read-request.ts";
import { replyJson, replyText, replyTooLarge } from "./reply.ts";
import { replyLedger, type ReadableLedger } from "./reply-ledger.ts";
import type { SettlementFolder } from "./settlement-folder.ts";

/** The parts that every bank's control interface serves. */
export type Controls = {
  bank: Pick<Bank<Timed>, "clock" | "closedAt" | "endDay"> & { ledger: ReadableLedger };
  settlements: Pick<SettlementFolder<never>, "list" | "read">;
  /** The content type of a settlement file. */
  settlementType: string;
  faults: { add(body: unknown): boolean; clear(): void };
  /** Changed by `PUT /modes`. */
  modes: object;
  modesSchema: z.ZodType<object>;
  /** The body of `PUT /notifications`, and its effect. Absent at a bank that sends none. */
  notifications?: NotificationControl<unknown> | undefined;
};

export type NotificationControl<Target> = {
  parse(body: unknown): Parsed<Target>;
  /** Undefined sends no more. */
  sendTo(target: Target | undefined): void;
};

/** Serves the control interface of every bank. @returns false where the target is another's */
export async function routeControls(
  controls: Controls,
  target: string,
  query: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const { bank, settlements, faults } = controls;
  if (target.startsWith(SETTLEMENT_PREFIX)) {
    await sendSettlement(controls, target.slice(SETTLEMENT_PREFIX.length), response);
    return true;
  }
  switch (target) {
    case "GET /ledger":
      await replyLedger(bank.ledger, new URLSearchParams(query).get("since"), response);
      return true;
    case "POST /faults":
      await takeFaults(faults, request, response);
      return true;
    case "DELETE /faults":
      faults.clear();
      break;
    case "PUT /modes":
      await changeModes(controls, request, response);
      return true;
    case "PUT /notifications":
    case "DELETE /notifications":
      return await changeNotifications(controls, request, response);
    case "POST /clock":
      await advanceClock(bank, request, response);
      return true;
    case "POST /business-day/close":
      await bank.endDay();
      break;
    case "GET /business-day":
      replyJson(response, 200, { closedAt: bank.closedAt ?? null });
      return true;
    case "GET /settlements":
      replyJson(response, 200, { settlements: settlements.list() });
      return true;
    case "GET /livez":
      break;
    default:
      return false;
  }
  replyJson(response, 200, {});
  return true;
}

async function takeFaults(
  faults: { add(body: unknown): boolean },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBody(request);
  if (body.kind === "too_large") return replyTooLarge(response);
  const isTaken = faults.add(parseJson(body.text)?.value);
  replyJson(response, isTaken ? 200 : 400, isTaken ? {} : { error: "invalid_fault" });
}

const SETTLEMENT_PREFIX = "GET /settlements/";

async function sendSettlement(
  { settlements, settlementType }: Controls,
  name: string,
  response: ServerResponse,
): Promise<void> {
  const file = await settlements.read(name);
  if (!file) return replyJson(response, 404, { error: "no_such_settlement" });
  replyText(response, 200, settlementType, file);
}

/** A mode that the body does not name stays as it is. */
async function changeModes(
  { modes, modesSchema }: Controls,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(request, response, (body) => {
    const named = namedModes.safeParse(body);
    return named.success ? parse(modesSchema, { ...modes, ...named.data }) : parse(modesSchema, body);
  });
  if (read) replyJson(response, 200, Object.assign(modes, read.asked));
}

const namedModes = z.record(z.string(), z.unknown());

async function changeNotifications(
  { notifications }: Controls,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (!notifications) return false;
  if (request.method === "DELETE") notifications.sendTo(undefined);
  else {
    const read = await readRequest(request, response, (body) => notifications.parse(body));
    if (!read) return true;
    notifications.sendTo(read.asked);
  }
  replyJson(response, 200, {});
  return true;
}

async function advanceClock(
  { clock }: Controls["bank"],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(request, response, (body) => parse(clockBody, body));
  if (!read) return;
  clock.advance(read.asked.advanceSeconds * 1_000);
  replyJson(response, 200, { now: new Date(clock.now()).toISOString() });
}

/** At most a year at a time; time does not go back. */
const clockBody = z.strictObject({ advanceSeconds: z.int().min(0).max(31_536_000) });
