import { startTestSystem } from "../support/index.ts";

/** A merchant with the key of its API. */
export type Shop = { merchantId: string; headers: Record<string, string> };

export type ListAnswer = { status: number; headers: Headers; text: string };
/** A page of any list, as loosely as a test looks at it. */
export type ListedItem = Record<string, unknown> & { paymentId: string; paymentDate: string };
export type ListPage = { items: ListedItem[]; nextCursor?: string };

export type ListSystem = Awaited<ReturnType<typeof startListSystem>>;

/** The two gateways with payments and refunds behind them, all of them real. */
export async function startListSystem(env: Record<string, string> = {}) {
  const system = await startTestSystem({ services: ["payments", "refunds"], running: [], env });
  const gateway = await system.start("gateway-merchant");
  const operators = await system.start("gateway-operator");
  const payments = await system.start("payments");
  const refunds = await system.start("refunds");

  const operate = async (method: string, path: string, more: { body?: object; headers?: object } = {}) =>
    await send(operators.port, method, path, {
      headers: {
        authorization: `Bearer ${await system.identity.token()}`,
        ...(more.body && { "content-type": "application/json" }),
        ...more.headers,
      },
      ...(more.body && { body: JSON.stringify(more.body) }),
    });
  return {
    ...system,
    paymentsService: payments,
    refundsService: refunds,
    merchantPort: gateway.port,
    operate,
    async openShop(name = "A shop"): Promise<Shop> {
      const { text } = await operate("POST", "/operator/merchants", { body: { name } });
      const { merchantId, apiKey, apiSecret } = JSON.parse(text) as Record<string, string>;
      return { merchantId: merchantId!, headers: { "x-api-key": apiKey!, "x-api-secret": apiSecret! } };
    },
    /** A GET of the merchant API. */
    get: (shop: Shop, path: string, headers: Record<string, string> = {}): Promise<ListAnswer> =>
      send(gateway.port, "GET", path, { headers: { ...shop.headers, ...headers } }),
    /** A POST of the merchant API. */
    post: (shop: Shop, path: string, body: object): Promise<ListAnswer> =>
      send(gateway.port, "POST", path, {
        headers: { ...shop.headers, "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

async function send(
  port: number,
  method: string,
  path: string,
  init: { headers: Record<string, string>; body?: string },
): Promise<ListAnswer> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...init });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** A page that was answered 200. */
export function pageOf({ status, text }: ListAnswer): ListPage {
  if (status !== 200) throw new Error(`${status}: ${text}`);
  return JSON.parse(text) as ListPage;
}

/** All items of a list, by its cursors. `between` happens after each page. */
export async function readAll(
  read: (query: string) => Promise<ListAnswer>,
  query: string,
  between: (page: ListPage) => Promise<void> | void = () => {},
): Promise<ListedItem[]> {
  const items: ListedItem[] = [];
  let cursor: string | undefined;
  do {
    const page = pageOf(
      await read(`?${query}${cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`}`),
    );
    items.push(...page.items);
    cursor = page.nextCursor;
    await between(page);
  } while (cursor !== undefined);
  return items;
}
