import {
  closeDifference,
  closeSettlementDifference,
  describeSettlementImport,
  getPaymentSettlement,
  getSettlement,
  listDifferences,
  listSettlementDifferences,
  listSettlementImports,
  listSettlements,
  noteDifference,
  noteSettlementDifference,
  readPaymentSettlement,
  type CommandReply,
} from "@holdfast/contracts";
import { operatorRefusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute, type Answer } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { definePagedListRoute } from "../lists/paged-list-route.ts";
import { uploadSettlementRoute } from "./upload-settlement.ts";

/** What the banks report, and where it differs from what we know. */
export function settlementRoutes({ send, lists }: { send: SendOperatorCommand; lists: ListDeps }) {
  return [
    definePagedListRoute(listSettlements, lists, (call, filter) => ({
      name: "settlements",
      audience: call.caller.subject,
      read: async (page) => resultOf(await send(listSettlementImports, call, { ...filter, ...page })),
    })),
    uploadSettlementRoute({ send }),
    defineRoute(getSettlement, async (call) => answer(await send(describeSettlementImport, call, call.path))),
    definePagedListRoute(listDifferences, lists, (call, { state = "OPEN", ...filter }) => ({
      name: "differences",
      audience: call.caller.subject,
      rowsAtATime: DIFFERENCES_AT_A_TIME,
      read: async (page) =>
        resultOf(await send(listSettlementDifferences, call, { ...filter, state, ...page })),
    })),
    defineRoute(getPaymentSettlement, async (call) =>
      answer(await send(readPaymentSettlement, call, call.path)),
    ),
    defineRoute(noteDifference, async (call) =>
      answer(await send(noteSettlementDifference, call, { ...call.path, ...call.body })),
    ),
    defineRoute(closeDifference, async (call) =>
      answer(await send(closeSettlementDifference, call, { ...call.path, ...call.body })),
    ),
  ];
}

/** An answer of the service has room for 400 notes: with fewer differences in it each of them may have more. */
const DIFFERENCES_AT_A_TIME = 50;

function answer<Result extends object>(reply: CommandReply<Result>): Answer<200> | Refusal {
  const result = resultOf(reply);
  return result instanceof Refusal ? result : { status: 200, body: result };
}

function resultOf<Result extends object>(reply: CommandReply<Result>): Result | Refusal {
  return "result" in reply ? reply.result : operatorRefusalOf(reply);
}
