import { operations } from "@holdfast/contracts";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendCommand } from "../bus/send-command.ts";
import { Refusal } from "../http/refusal.ts";
import { rangeFaults } from "../lists/check-list-query.ts";
import { defineListRoute, type ListDeps } from "../lists/list-route.ts";
import type { ReadPart } from "../lists/read-page.ts";
import type { Row } from "../lists/row-columns.ts";
import { checkoutAnswer } from "./checkout.ts";

type Deps = { send: SendCommand; publicUrl: string; lists: ListDeps };

/** GET /api/checkouts. */
export function checkoutListRoute({ send, publicUrl, lists }: Deps) {
  return defineListRoute(operations.listCheckouts, lists, (call) => {
    const { limit: _limit, cursor: _cursor, bom: _bom, ...filter } = call.query;
    const errors = rangeFaults(filter, new Date(), { statusHasIndex: false, lookUps: ["orderId"] });
    if (errors.length > 0) return new Refusal("validation_failed", { members: { errors } });
    const part: ReadPart<Row> = async (from) => {
      const reply = await send(operations.listCheckouts.command, call, { ...from, filter });
      if (!("result" in reply)) return refusalOf(reply);
      const { items, ...rest } = reply.result;
      return {
        ...rest,
        items: items.map((each) => ({ ...each, item: checkoutAnswer(each.item, publicUrl) })),
      };
    };
    return { name: "checkouts", audience: call.caller.merchantId, parts: [part] };
  });
}
