import { operations } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { operatorResult } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import type { ListDeps } from "../lists/list-route.ts";
import { definePagedListRoute } from "../lists/paged-list-route.ts";
import { namedPage } from "../merchant/merchant-names.ts";
import { previewSettlementRoute, uploadSettlementRoute } from "./upload-settlement.ts";

/** The banks' reports, and their differences from our records. */
export function settlementRoutes({
  send,
  db,
  lists,
}: {
  send: SendOperatorCommand;
  db: Kysely<GatewayDatabase>;
  lists: ListDeps;
}) {
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
      async read(page) {
        const reply = await send(operations.listDifferences.command, call, { ...filter, state, ...page });
        return await namedPage(db, operatorResult(reply));
      },
    })),
  ];
}

/** An answer of the service has room for 400 notes: with fewer differences in it each of them may have more. */
const DIFFERENCES_AT_A_TIME = 50;
