import {
  idInMode,
  isRefundQueue,
  livemodeOf,
  LOOK_UP_FILTERS,
  operations,
  type FieldFault,
  type ListPart,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { operatorAnswer, refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Call, type Route } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { rangeFaults } from "../lists/check-list-query.ts";
import { defineListRoute, type ListDeps } from "../lists/list-route.ts";
import type { Row } from "../lists/row-columns.ts";
import { withMerchantNames } from "../merchant/merchant-names.ts";

type Deps = { send: SendOperatorCommand; db: Kysely<GatewayDatabase>; lists: ListDeps };

/** The operators' lists of the payments and refunds of all merchants, and sums of today's. */
export function operatorListRoutes({ send, db, lists }: Deps): Route[] {
  return [
    figuresRoute({ send }),
    defineListRoute(operations.listPaymentsOfMerchants, lists, (call) => {
      const { limit: _limit, cursor: _cursor, bom: _bom, unresolved, livemode: mode, ...asked } = call.query;
      const { merchantId, ...more } = asked;
      const livemode = livemodeOf(mode);
      const filter = inMode(asked, livemode);
      call.exchange.merchantId = merchantId;
      const statusHasIndex = merchantId !== undefined;
      const errors = unresolved
        ? unresolvedFaults(more)
        : rangeFaults(filter, new Date(), { statusHasIndex, lookUps: LOOK_UP_FILTERS });
      if (errors.length > 0) return invalid(errors);
      return {
        name: unresolved ? "unresolved-payments" : "payments",
        audience: audienceOf(call),
        oldestFirst: unresolved !== undefined,
        parts: [
          async (part) => {
            const reply = await send(operations.listPaymentsOfMerchants.command, call, {
              ...part,
              filter,
              livemode,
              ...(unresolved && { unresolved: true as const }),
            });
            return "result" in reply ? await withNames(db, reply.result) : refusalOf(reply);
          },
        ],
      };
    }),
    defineListRoute(operations.listRefunds, lists, (call) => {
      const { limit: _limit, cursor: _cursor, bom: _bom, livemode: mode, paymentId, ...asked } = call.query;
      call.exchange.merchantId = asked.merchantId;
      const livemode = livemodeOf(mode);
      const ofPayment = paymentId !== undefined && { parentPaymentId: paymentId };
      const filter = { ...inMode(asked, livemode), ...ofPayment };
      const isQueue = isRefundQueue(filter);
      const { status, ...rest } = filter;
      // A search by status needs a range, whatever the status is called here.
      const searched = { ...rest, ...(status !== undefined && { status: "SUCCESS" as const }) };
      // A payment has few refunds, and they have an index.
      const errors =
        isQueue || ofPayment
          ? []
          : rangeFaults(searched, new Date(), { statusHasIndex: false, lookUps: LOOK_UP_FILTERS });
      if (errors.length > 0) return invalid(errors);
      return {
        name: "refunds",
        audience: audienceOf(call),
        oldestFirst: isQueue,
        parts: [
          async (part) => {
            const reply = await send(operations.listRefunds.command, call, { ...part, filter, livemode });
            return "result" in reply ? await withNames(db, reply.result) : refusalOf(reply);
          },
        ],
      };
    }),
  ];
}

/** Services keep a merchant's records of a mode under an id of their own. */
function inMode<Filter extends { merchantId?: string | undefined }>(
  { merchantId, ...filter }: Filter,
  livemode: boolean,
) {
  return { ...filter, ...(merchantId !== undefined && { merchantId: idInMode(merchantId, livemode) }) };
}

/** Sums of the payments of all merchants, or of one. */
function figuresRoute({ send }: Pick<Deps, "send">) {
  return defineRoute(operations.getFigures, async (call) => {
    const livemode = livemodeOf(call.query.livemode);
    call.exchange.merchantId = call.query.merchantId;
    const asked = { ...inMode({ merchantId: call.query.merchantId }, livemode), livemode };
    return operatorAnswer(200, await send(operations.getFigures.command, call, asked));
  });
}

function audienceOf({ caller }: Pick<Call<typeof operations.listPaymentsOfMerchants>, "caller">): string {
  return caller.subject;
}

/** Refuses other filters: few payments wait for the bank, and their index knows nothing else. */
function unresolvedFaults({
  from: _from,
  to: _to,
  ...filter
}: Record<string, string | undefined>): FieldFault[] {
  return Object.keys(filter)
    .filter((field) => filter[field] !== undefined)
    .map((field) => ({ field, code: "not_allowed", message: "is not allowed with unresolved" }));
}

function invalid(errors: FieldFault[]): Refusal {
  return new Refusal("validation_failed", { members: { errors } });
}

/** The gateway alone knows what merchants are called. */
export async function withNames<Item extends { merchantId?: string | undefined }>(
  db: Kysely<GatewayDatabase>,
  { items, ...rest }: ListPart<Item>,
): Promise<ListPart<Row>> {
  const named = await withMerchantNames(
    db,
    items.map(({ item }) => item),
  );
  return { ...rest, items: items.map((place, index) => ({ ...place, item: named[index]! })) };
}
