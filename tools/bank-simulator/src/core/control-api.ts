import type { IncomingMessage, ServerResponse } from "node:http";

import { z } from "zod";

import type { Bank, Timed } from "./bank.ts";
import type { Order } from "./book.ts";
import type { DayEnds } from "./day-ends.ts";
import { PAYOUTS_TYPE } from "./payouts.ts";
import { readBody } from "./read-body.ts";
import { parse, parseJson, readRequest, type Parsed } from "./read-request.ts";
import { replyJson, replyText, replyTooLarge } from "./reply.ts";
import { replyLedger, type ReadableLedger } from "./reply-ledger.ts";
import type { SettlementFolder } from "./settlement-folder.ts";

/** The parts that every bank's control interface serves. */
export type Controls<Entry extends Timed> = {
  bank: Pick<Bank<Entry>, "book" | "clock" | "closedAt" | "endDay"> & { ledger: ReadableLedger };
  settlements: Pick<SettlementFolder<never>, "list" | "read">;
  /** The content type of a settlement file. */
  settlementType: string;
  faults: { add(body: unknown): boolean; clear(): void };
  /** Changed by `PUT /modes`. */
  modes: object;
  modesSchema: z.ZodType<object>;
  dayEnds: Pick<DayEnds<Entry>, "dispute" | "payoutStatement">;
  refundInPanel: (order: Order<Entry>, amountMinor: bigint) => Promise<boolean>;
  voidInPanel?: ((order: Order<Entry>, name: string) => Promise<boolean>) | undefined;
  /** The body of `PUT /notifications`, and its effect. Absent at a bank that sends none. */
  notifications?: NotificationControl<unknown> | undefined;
};

export type NotificationControl<Target> = {
  parse(body: unknown): Parsed<Target>;
  /** Undefined: no notification is sent any more. */
  sendTo(target: Target | undefined): void;
};

/** Serves the control interface of every bank. @returns false for any other path. */
export async function routeControls<Entry extends Timed>(
  controls: Controls<Entry>,
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
    case "POST /panel/refunds":
      await refundInPanel(controls, request, response);
      return true;
    case "POST /panel/voids":
      return await voidInPanel(controls, request, response);
    case "POST /disputes":
      await openDispute(controls, request, response);
      return true;
    case "GET /payouts":
      replyText(response, 200, PAYOUTS_TYPE, controls.dayEnds.payoutStatement());
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
  { settlements, settlementType }: Pick<Controls<never>, "settlements" | "settlementType">,
  name: string,
  response: ServerResponse,
): Promise<void> {
  const file = await settlements.read(name);
  if (!file) return replyJson(response, 404, { error: "no_such_settlement" });
  replyText(response, 200, settlementType, file);
}

/** Changes the modes that the body names, and no others. */
async function changeModes(
  { modes, modesSchema }: Pick<Controls<never>, "modes" | "modesSchema">,
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
  { notifications }: Pick<Controls<never>, "notifications">,
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

async function refundInPanel<Entry extends Timed>(
  { refundInPanel: refund, ...controls }: Pick<Controls<Entry>, "bank" | "refundInPanel">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  await actInPanel(controls, refundBody, request, response, (order, { amountMinor }) =>
    refund(order, BigInt(amountMinor)),
  );
}

async function voidInPanel<Entry extends Timed>(
  { voidInPanel: voidOf, ...controls }: Pick<Controls<Entry>, "bank" | "voidInPanel">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (!voidOf) return false;
  await actInPanel(controls, voidBody, request, response, (order, { name }) => voidOf(order, name));
  return true;
}

/** Makes a movement that no merchant's program has asked for. 409 where the bank's rules of life refuse it. */
async function actInPanel<Entry extends Timed, Body extends { order: string }>(
  { bank }: Pick<Controls<Entry>, "bank">,
  schema: z.ZodType<Body>,
  request: IncomingMessage,
  response: ServerResponse,
  act: (order: Order<Entry>, body: Body) => Promise<boolean>,
): Promise<void> {
  const read = await readRequest(request, response, (body) => parse(schema, body));
  if (!read) return;
  const order = bank.book.orderOfAny(read.asked.order);
  if (!order) return replyNoOrder(response);
  const isDone = await act(order, read.asked);
  replyJson(response, isDone ? 200 : 409, isDone ? {} : { error: "refused" });
}

async function openDispute<Entry extends Timed>(
  { bank, dayEnds }: Pick<Controls<Entry>, "bank" | "dayEnds">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(request, response, (body) => parse(disputeBody, body));
  if (!read) return;
  const { kind, amountMinor } = read.asked;
  const order = bank.book.orderOfAny(read.asked.order);
  if (!order) return replyNoOrder(response);
  dayEnds.dispute({ kind, order, amountMinor: BigInt(amountMinor) });
  replyJson(response, 200, {});
}

function replyNoOrder(response: ServerResponse): void {
  replyJson(response, 404, { error: "no_such_order" });
}

const refundBody = z.strictObject({ order: z.string(), amountMinor: z.int().positive() });
const voidBody = z.strictObject({ order: z.string(), name: z.string() });
const disputeBody = refundBody.extend({ kind: z.enum(["chargeback", "reversal"]).default("chargeback") });

async function advanceClock(
  { clock }: Pick<Bank<Timed>, "clock">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const read = await readRequest(request, response, (body) => parse(clockBody, body));
  if (!read) return;
  clock.advance(read.asked.advanceSeconds * 1_000);
  replyJson(response, 200, { now: new Date(clock.now()).toISOString() });
}

/** The clock moves at most a year at a time, and never back. */
const clockBody = z.strictObject({ advanceSeconds: z.int().min(0).max(31_536_000) });
