import { operations } from "@holdfast/contracts";
import { operatorResult } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { definePagedListRoute } from "../lists/paged-list-route.ts";
import { previewSettlementRoute, uploadSettlementRoute } from "./upload-settlement.ts";

/** The banks' reports, and their differences from our records. */
export function settlementRoutes({ send, lists }: { send: SendOperatorCommand; lists: ListDeps }) {
  return [
    definePagedListRoute(operations.listSettlements, lists, (call, filter) => ({
      name: "settlements",
      audience: call.caller.subject,
      read: async (page) =>
        operatorResult(await send(operations.listSettlements.command, call, { ...filter, ...page })),
    })),
    uploadSettlementRoute({ send }),
    previewSettlementRoute({ send }),
    definePagedListRoute(operations.listDifferences, lists, (call, { state = "OPEN", ...filter }) => ({
      name: "differences",
      audience: call.caller.subject,
      rowsAtATime: DIFFERENCES_AT_A_TIME,
      read: async (page) =>
        operatorResult(await send(operations.listDifferences.command, call, { ...filter, state, ...page })),
    })),
  ];
}

/** An answer of the service has room for 400 notes: with fewer differences in it each of them may have more. */
const DIFFERENCES_AT_A_TIME = 50;
