import {
  livemodeOf,
  merchantIdOf,
  operations,
  type LOOK_UP_FILTERS,
  type OperatorListFilter,
  type OperatorPayment,
  type OperatorPaymentDetail,
  type OperatorRefund,
  type SearchAnswer,
  type SearchMatch,
} from "@holdfast/contracts";
import type { Kysely } from "kysely";
import { refusalOf } from "../bus/command-answer.ts";
import type { SendOperatorCommand } from "../bus/send-command.ts";
import type { GatewayDatabase } from "../database.ts";
import { defineRoute, type Call } from "../endpoint/route.ts";
import { Refusal } from "../http/refusal.ts";
import { findMerchantNames, findMerchantsByName } from "../merchant/merchant-names.ts";

type Deps = {
  send: SendOperatorCommand;
  db: Kysely<GatewayDatabase>;
  /** True if the search also covers merchants. */
  findsMerchants: boolean;
};
type SearchCall = Call<typeof operations.search>;

/** The results of one look-up, newest first, of payments or of refunds. */
type Found = {
  payments?: OperatorPayment[];
  refunds?: OperatorRefund[];
  matchedBy: LookUp["matchedBy"];
  more?: boolean;
};

/** GET /operator/search: the text is looked up in every way that it can be read, and each answer says in which. */
export function searchRoute(deps: Deps) {
  return defineRoute(operations.search, async (call) => {
    const { q } = call.query;
    const isId = UUID.test(q);
    const merchantNames = deps.findsMerchants
      ? isId
        ? await findMerchantNames(deps.db, [merchantIdOf(q.toLowerCase())])
        : await findMerchantsByName(deps.db, q, SHOWN_MAX)
      : new Map<string, string>();
    // An order number or a number of the bank may be a UUID, too.
    const [ofId, ofLookUps] = await Promise.all([isId ? byId(deps, call) : [], byLookUps(deps, call)]);
    const found = [...ofId, ...ofLookUps];
    const refused = found.find((each) => each instanceof Refusal);
    if (refused) return refused;
    const all = found as Found[];
    const merchants = [...merchantNames].slice(0, SHOWN_MAX).map(([merchantId, name]) => ({
      type: "merchant" as const,
      matchedBy: isId ? ("id" as const) : ("name" as const),
      merchant: { merchantId, name },
    }));
    const items = [...merchants, ...(await itemsOf(deps, all))];
    return {
      status: 200,
      body: {
        items,
        more: merchantNames.size > SHOWN_MAX || all.some(({ more }) => more === true),
      } satisfies SearchAnswer,
    };
  });
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The most results that each look-up shows. */
const SHOWN_MAX = 20;

async function byId({ send }: Deps, call: SearchCall): Promise<(Found | Refusal)[]> {
  const id = call.query.q.toLowerCase();
  const [payment, refund] = await Promise.all([
    send(operations.getOperatorPayment.command, call, { paymentId: id }),
    send(operations.getOperatorRefund.command, call, { refundId: id }),
  ]);
  return [
    "result" in payment
      ? { matchedBy: "id", payments: [listed(payment.result)] }
      : missing(refusalOf(payment), "payment_not_found"),
    "result" in refund
      ? { matchedBy: "id", refunds: [withoutHistory(refund.result)] }
      : missing(refusalOf(refund), "refund_not_found"),
  ];
}

/** The payment as lists show it. */
function listed(detail: OperatorPaymentDetail): OperatorPayment {
  const {
    operations: _operations,
    bankOrderId: _bankOrderId,
    requestIp: _requestIp,
    requestPort: _requestPort,
    ...payment
  } = withoutHistory(detail);
  return payment;
}

function withoutHistory<Detail extends { history: unknown }>({ history: _history, ...item }: Detail) {
  return item;
}

/** A missing payment or refund is an answer; a service that cannot say is not. */
function missing(refusal: Refusal, code: Refusal["code"]): Found | Refusal {
  return refusal.code === code ? { matchedBy: "id" } : refusal;
}

async function byLookUps({ send }: Deps, call: SearchCall): Promise<(Found | Refusal)[]> {
  const { livemode: mode } = call.query;
  const livemode = mode === undefined ? undefined : livemodeOf(mode);
  return await Promise.all(
    lookUpsOf(call.query.q).flatMap(({ matchedBy, filter }) => [
      send(operations.listPaymentsOfMerchants.command, call, { filter, livemode, limit: SHOWN_MAX }).then(
        (reply): Found | Refusal =>
          "result" in reply
            ? {
                matchedBy,
                payments: reply.result.items.map(({ item }) => item),
                more: "readTo" in reply.result,
              }
            : refusalOf(reply),
      ),
      send(operations.listRefunds.command, call, { filter, livemode, limit: SHOWN_MAX }).then(
        (reply): Found | Refusal =>
          "result" in reply
            ? {
                matchedBy,
                refunds: reply.result.items.map(({ item }) => item),
                more: "readTo" in reply.result,
              }
            : refusalOf(reply),
      ),
    ]),
  );
}

/** Lists each result once, by the first way in which it was found, with its merchant's name. */
async function itemsOf({ db }: Deps, all: Found[]): Promise<SearchAnswer["items"]> {
  const things = all.flatMap(({ payments = [], refunds = [] }) => [...payments, ...refunds]);
  const names = await findMerchantNames(
    db,
    things.map(({ merchantId }) => merchantId),
  );
  const named = <Item extends { merchantId: string }>(item: Item) => {
    const merchantName = names.get(item.merchantId);
    return { ...item, ...(merchantName !== undefined && { merchantName }) };
  };
  const items = new Map<string, SearchAnswer["items"][number]>();
  for (const { matchedBy, payments = [], refunds = [] } of all) {
    for (const item of payments) {
      const id = item.payment.paymentId;
      if (!items.has(id)) items.set(id, { type: "payment", matchedBy, payment: named(item) });
    }
    for (const item of refunds) {
      const id = item.refundId;
      if (!items.has(id)) items.set(id, { type: "refund", matchedBy, refund: named(item) });
    }
  }
  return [...items.values()];
}

/** A way to read a search text: as this of a payment or refund. */
type LookUp = { matchedBy: SearchMatch; filter: Pick<OperatorListFilter, LookUpName | "bin"> };

type LookUpName = (typeof LOOK_UP_FILTERS)[number];

/** Every reading of a text that may find something, except as an id: no list has ids as a filter. */
function lookUpsOf(text: string): LookUp[] {
  const [, bin, last4] = /^(\d{6})\*+(\d{4})$/.exec(text) ?? [];
  if (bin !== undefined && last4 !== undefined) return [{ matchedBy: "pan", filter: { bin, last4 } }];
  const names = ["orderId", "externalTransactionId", "authCode", "customerId"] as const;
  return [
    ...(/^\d{4}$/.test(text) ? [{ matchedBy: "last4" as const, filter: { last4: text } }] : []),
    ...names
      .filter((name) => text.length <= LENGTH_MAX[name])
      .map((name) => ({ matchedBy: name, filter: { [name]: text } })),
  ];
}

/** The lengths of the columns. */
const LENGTH_MAX = { orderId: 64, externalTransactionId: 128, authCode: 32, customerId: 64 };
