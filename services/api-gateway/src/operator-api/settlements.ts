import {
  closeDifference,
  closeSettlementDifference,
  confirmSettlement,
  confirmSettlementImport,
  describeSettlementDifference,
  describeSettlementImport,
  getDifference,
  getPaymentSettlement,
  getSettlement,
  listDifferences,
  listSettlementDifferences,
  listSettlementImports,
  listSettlements,
  noteDifference,
  noteSettlementDifference,
  readPaymentSettlement,
} from "@holdfast/contracts";
import { operatorAnswer, operatorResult } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import { defineRoute } from "../endpoint/route.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { definePagedListRoute } from "../lists/paged-list-route.ts";
import { previewSettlementRoute, uploadSettlementRoute } from "./upload-settlement.ts";

/** The banks' reports, and their differences from our records. */
export function settlementRoutes({ send, lists }: { send: SendOperatorCommand; lists: ListDeps }) {
  return [
    definePagedListRoute(listSettlements, lists, (call, filter) => ({
      name: "settlements",
      audience: call.caller.subject,
      read: async (page) => operatorResult(await send(listSettlementImports, call, { ...filter, ...page })),
    })),
    uploadSettlementRoute({ send }),
    previewSettlementRoute({ send }),
    defineRoute(getSettlement, async (call) =>
      operatorAnswer(200, await send(describeSettlementImport, call, call.path)),
    ),
    defineRoute(confirmSettlement, async (call) =>
      operatorAnswer(200, await send(confirmSettlementImport, call, call.path)),
    ),
    definePagedListRoute(listDifferences, lists, (call, { state = "OPEN", ...filter }) => ({
      name: "differences",
      audience: call.caller.subject,
      rowsAtATime: DIFFERENCES_AT_A_TIME,
      read: async (page) =>
        operatorResult(await send(listSettlementDifferences, call, { ...filter, state, ...page })),
    })),
    defineRoute(getDifference, async (call) =>
      operatorAnswer(200, await send(describeSettlementDifference, call, call.path)),
    ),
    defineRoute(getPaymentSettlement, async (call) =>
      operatorAnswer(200, await send(readPaymentSettlement, call, call.path)),
    ),
    defineRoute(noteDifference, async (call) =>
      operatorAnswer(200, await send(noteSettlementDifference, call, { ...call.path, ...call.body })),
    ),
    defineRoute(closeDifference, async (call) =>
      operatorAnswer(200, await send(closeSettlementDifference, call, { ...call.path, ...call.body })),
    ),
  ];
}

/** An answer of the service has room for 400 notes: with fewer differences in it each of them may have more. */
const DIFFERENCES_AT_A_TIME = 50;
