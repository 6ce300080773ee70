import { livemodeOf, operations, readProposals } from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import type { Route } from "../endpoint/route.ts";
import { defineListRoute, type ListDeps } from "../lists/list-route.ts";
import type { ReadPart } from "../lists/read-page.ts";
import type { Row } from "../lists/row-columns.ts";
import { withNames } from "./lists.ts";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase>; lists: ListDeps };

/** GET /operator/proposals: the proposals of the services as one list, oldest first, of the kinds that this person may decide. */
export function proposalsRoute({ send, db, lists }: Deps): Route {
  return defineListRoute(operations.listProposals, lists, (call) => {
    const livemode = livemodeOf(call.query.livemode);
    // The banks' files have no test mode.
    const ofLive = livemode ? [readProposals.settlement] : [];
    const commands = [readProposals.payments, readProposals.refunds, ...ofLive];
    return {
      name: "proposals",
      audience: call.caller.subject,
      oldestFirst: true,
      parts: commands.map((command): ReadPart<Row> => async (part) => {
        const reply = await send(command, call, { ...part, livemode });
        return "result" in reply ? await withNames(db, reply.result) : refusalOf(reply);
      }),
    };
  });
}
